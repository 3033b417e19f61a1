import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { JarvisError } from 'protocol'
import { onTestFinished } from 'vitest'
import { quote } from '../../src/gate/index.ts'
import type { SshOptions } from '../../src/homelab/ssh/index.ts'
import { type SshdOptions, startSshd } from './sshd.ts'

/** An SSH server as the node `pve1`, whose host key is known and which lets JARVIS in. Ends with the test. */
export async function startKnownSshd(settings: SshdOptions = {}) {
  const sshd = await startSshd(settings)
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-ssh-'))
  onTestFinished(async () => {
    await sshd.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const knownHostsPath = join(dir, 'known_hosts')
  writeFileSync(knownHostsPath, `[127.0.0.1]:${sshd.port} ${sshd.hostKey()}\n`)
  const options: SshOptions = {
    user: sshd.user,
    keyPath: sshd.clientKeyPath,
    agentSocket: undefined,
    knownHostsPath,
    clock: systemClock,
    addressOf: (node) => {
      if (node === 'pve1') return { host: sshd.host, port: sshd.port }
      throw new JarvisError('not_found', `There is no node ${node}.`)
    },
    quote,
  }
  return { sshd, dir, knownHostsPath, options }
}
