import { existsSync } from 'node:fs'

/** util-linux's `script`, which runs a command at a pseudo-terminal. That of other systems takes other options. */
export const findScript = () =>
  process.platform === 'linux' ? ['/usr/bin/script', '/bin/script'].find((path) => existsSync(path)) : undefined
