import { readFileSync } from 'node:fs'
import { JarvisError } from 'protocol'
import type { ServerHostKeyAlgorithm } from 'ssh2'
import {
  type Address,
  fingerprintOf,
  judgeHostKey,
  type KnownHost,
  knownFor,
  nameOf,
  parseKnownHosts,
  typeOf,
} from './known-hosts.ts'

const algorithms: readonly ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
]

/** Reads known_hosts. A missing file counts as empty. @throws JarvisError if the file cannot be read */
export function readKnownHosts(path: string): KnownHost[] {
  try {
    return parseKnownHosts(readFileSync(path, 'utf8'))
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw new JarvisError(
      'cluster_unreachable',
      `The known host keys cannot be read: SSH_KNOWN_HOSTS ${path} (${code}).`,
    )
  }
}

/** Orders the host key algorithms: those of keys in known_hosts come first, so that a server with several keys shows one that is known. */
export function algorithmsFor(entries: readonly KnownHost[], address: Address): ServerHostKeyAlgorithm[] {
  const types = knownFor(entries, address).map(({ type }) => type)
  const isKnown = (name: string) => types.includes(name.startsWith('rsa-') ? 'ssh-rsa' : name)
  return [...algorithms.filter(isKnown), ...algorithms.filter((name) => !isKnown(name))]
}

/** @returns why a node's host key is refused and how a person can accept it; undefined if the key is known */
export function refusalOf(
  parts: {
    node: string
    address: Address
    path: string
    entries: readonly KnownHost[]
    quote(argv: readonly string[]): string
  },
  key: Buffer,
): JarvisError | undefined {
  const { node, address, path, entries, quote } = parts
  const judged = judgeHostKey(entries, address, key)
  if (judged.verdict === 'known') return undefined
  const type = typeOf(key)
  const kind = type.replace(/^ssh-/, '').replace(/-.*/s, '')
  const shown = `${node} (${address.host}:${address.port}) shows the ${kind.toUpperCase()} host key ${fingerprintOf(key)}`
  const refuse = (text: string) => new JarvisError('cluster_unreachable', `${shown}${text}`)
  if (judged.verdict === 'revoked') {
    return refuse(`, which line ${judged.line} of ${path} revokes. It is not trusted, and nothing was sent to it.`)
  }
  const compare = `Compare it with what ${node} itself says on its console to: ssh-keygen -lf /etc/ssh/ssh_host_${kind}_key.pub`
  const accept = `${quote(['echo', `${nameOf(address)} ${type} ${key.toString('base64')}`])} >> ${quote([path])}`
  if (judged.verdict === 'unknown') {
    return refuse(
      `, which is not in ${path}. It is not trusted yet, and nothing was sent to it. ${compare}\nIf they are the same, accept it with: ${accept}`,
    )
  }
  const known = judged.known.map((entry) => `${fingerprintOf(entry.key)} in line ${entry.line}`).join(', ')
  return refuse(
    `, but ${path} has ${known}. Either ${node} was installed anew or something stands between. Nothing was sent to it. ${compare}\nIf they are the same, accept it with: ${quote(['ssh-keygen', '-R', nameOf(address), '-f', path])} && ${accept}`,
  )
}
