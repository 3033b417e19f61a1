import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A key pair of the real ssh-keygen in a folder of the test's own. */
export function makeSshKey(comment = 'mira@laptop') {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-ssh-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const path = join(dir, 'id_ed25519')
  const run = (args: string[], input = '') => {
    const { status, stdout, stderr } = spawnSync('ssh-keygen', args, { input, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    return stdout
  }
  run(['-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', path])
  return {
    path,
    /** The line of its `.pub` file. */
    line: readFileSync(`${path}.pub`, 'utf8'),
    sign: (text: string, namespace = 'decision@jarvis') => run(['-Y', 'sign', '-n', namespace, '-f', path], text),
  }
}
