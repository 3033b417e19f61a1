import { readFileSync } from 'node:fs'
import { JarvisError } from 'protocol'
import type { utils } from 'ssh2'

export type CredentialSources = { keyPath: string | undefined; agentSocket: string | undefined }
export type Credentials = { privateKey?: Buffer; agent?: string }

/** Thrown if SSH is not set up. This is not a failure: the operator may not want SSH. */
export class NoSshSetUp extends JarvisError {
  constructor() {
    super(
      'cluster_unreachable',
      'JARVIS has no SSH key. Make one of its own with ssh-keygen -t ed25519 -N "" -f ~/.ssh/jarvis_ed25519, name it in SSH_KEY_PATH, and put it on each node with ssh-copy-id; or run an agent (SSH_AUTH_SOCK).',
    )
  }
}

/**
 * Reads the key for each connection, so that a new key is used at once. An encrypted key is left to the SSH agent.
 * @throws NoSshSetUp; JarvisError that says what to do. No message contains a part of the key
 */
export function readCredentials(
  { keyPath, agentSocket }: CredentialSources,
  parseKey: typeof utils.parseKey,
): Credentials {
  const agent = agentSocket === undefined ? {} : { agent: agentSocket }
  if (keyPath === undefined) {
    if (agentSocket !== undefined) return agent
    throw new NoSshSetUp()
  }
  const named = `The SSH key ${keyPath} (SSH_KEY_PATH)`
  let privateKey: Buffer
  try {
    privateKey = readFileSync(keyPath)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw refusal(code === 'ENOENT' ? `${named} is not there.` : `${named} cannot be read (${code}).`)
  }
  const parsed = parseKey(privateKey)
  if (!(parsed instanceof Error)) {
    const [key] = [parsed].flat()
    if (key?.isPrivateKey() === true) return { privateKey, ...agent }
    throw refusal(`${named} is a public key. Name the private one, as a rule the same name without .pub.`)
  }
  if (!/encrypted/i.test(parsed.message) && !privateKey.includes('ENCRYPTED PRIVATE KEY')) {
    throw refusal(`${named} is no private key that can be read. ssh-keygen -t ed25519 makes a good one.`)
  }
  if (agentSocket !== undefined) return agent
  throw refusal(
    `${named} is encrypted, and JARVIS keeps no passphrase. Load it into an agent (ssh-add ${keyPath}, with SSH_AUTH_SOCK in JARVIS's environment), or give JARVIS a key of its own without passphrase.`,
  )
}

const refusal = (message: string) => new JarvisError('cluster_unreachable', message)
