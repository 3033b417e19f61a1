import { spawnSync } from 'node:child_process'
import { JarvisError } from 'protocol'

/**
 * Signs a text with `ssh-keygen -Y sign`, which itself asks for a passphrase or a touch. @param key a file of a private key, or of a public key
 * whose private key an SSH agent holds @returns the armored signature. @throws JarvisError `invalid_request` if nothing was signed
 */
export function signBySsh(text: string, namespace: string, key: string): string {
  const { status, stdout, error } = spawnSync('ssh-keygen', ['-Y', 'sign', '-n', namespace, '-f', key], {
    input: text,
    encoding: 'utf8' as const,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  if (error !== undefined) throw new JarvisError('invalid_request', 'ssh-keygen was not found. Install OpenSSH.')
  if (status !== 0) throw new JarvisError('invalid_request', 'ssh-keygen signed nothing. Nothing was done.')
  return stdout
}
