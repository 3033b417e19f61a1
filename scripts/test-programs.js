import { findBwrap } from './bwrap.js'
import { findChromium } from './chromium.js'
import { findScript } from './script.js'
import { findSshd } from './sshd.js'

/** What some tests need besides Node, and how it comes to the machine. */
export const programs = {
  bubblewrap: { find: findBwrap, install: 'apt-get install bubblewrap, on a machine that allows user namespaces' },
  Chromium: { find: findChromium, install: 'apt-get install chromium-headless-shell, or set CHROMIUM_PATH' },
  script: { find: findScript, install: 'apt-get install bsdutils, on Linux' },
  sshd: { find: findSshd, install: 'apt-get install openssh-server, or set SSHD_PATH' },
}
