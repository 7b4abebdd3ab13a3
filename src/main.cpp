#include "cli/run.h"

int main(int argc, char** argv) {
  return svc::cli::run(argc, argv);
}
