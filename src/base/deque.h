// A queue that takes no memory before something is in it. An account has a dozen, most of which stay empty.
#pragma once

#include <boost/container/deque.hpp>

namespace svc {

template <class T>
using Deque = boost::container::deque<T>;

}  // namespace svc
