import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findBwrap } from './bwrap.js'
import { findChromium } from './chromium.js'
import { findScript } from './script.js'
import { findSshd } from './sshd.js'

/** The first program of that name on `PATH`. */
function onPath(name) {
  const paths = (process.env.PATH ?? '').split(delimiter).map((dir) => join(dir, name))
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Programs that some tests need besides Node, and how they come to the machine. */
export const programs = {
  bubblewrap: { find: findBwrap, install: 'apt-get install bubblewrap, on a machine that allows user namespaces' },
  Chromium: { find: findChromium, install: 'apt-get install chromium-headless-shell, or set CHROMIUM_PATH' },
  git: { find: () => onPath('git'), install: 'apt-get install git' },
  ripgrep: { find: () => onPath('rg'), install: 'apt-get install ripgrep' },
  script: { find: findScript, install: 'apt-get install bsdutils, on Linux' },
  sshd: { find: findSshd, install: 'apt-get install openssh-server, or set SSHD_PATH' },
  'ssh-keygen': { find: () => onPath('ssh-keygen'), install: 'apt-get install openssh-client' },
}
