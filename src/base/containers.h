// Containers.
#pragma once

#include <boost/container/deque.hpp>

#include "base/find.h"

namespace svc {

// A queue that takes no memory before something is in it. An account has a dozen, most of which stay empty.
template <class T>
using Deque = boost::container::deque<T>;

}  // namespace svc
