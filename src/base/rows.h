// Rows for macros: (a, b)(c, d). Two macros read them in turn, each leaving the name of the other for the next row; the
// name that is left at the end is pasted to _END, which stands for nothing.
#pragma once

#define SVC_ROWS(...) SVC_ROWS_ENDED(__VA_ARGS__)
#define SVC_ROWS_ENDED(...) __VA_ARGS__##_END
