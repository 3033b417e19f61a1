// Takes the place of a package that a build leaves out: whoever loads it gets this error.
throw new Error('This package is not part of the build.')
