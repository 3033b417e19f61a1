import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { JarvisError } from 'protocol'
import { readConfig } from '../config/config.ts'
import { type ConfiguredNode, type ConfiguredNodes, parseNodes } from '../config/nodes.ts'
import { pathOf } from '../config/path-of.ts'
import { addressOf, sshChecks } from '../doctor/node-checks.ts'
import type { SeenNode } from '../homelab/connect.ts'
import { type OfferedKey, offeredKey } from '../homelab/ssh/index.ts'
import type { Questions } from './questions.ts'

type Env = Record<string, string | undefined>
type Given = { user: string | undefined; key: string | undefined; isAsking: boolean }

/** Parses `JARVIS_NODES`. @throws JarvisError `invalid_request` */
export function readNodes(list: string): Map<string, ConfiguredNode> {
  const parsed = parseNodes(list)
  if (parsed.ok) return new Map(parsed.nodes)
  throw new JarvisError('invalid_request', `JARVIS_NODES has an item that cannot be read: ${parsed.problem}.`)
}

export const nodeList = (nodes: ConfiguredNodes): string =>
  [...nodes]
    .map(([name, { host, sshPort, mac }]) => {
      const place = `${host.includes(':') ? `[${host}]` : host}${sshPort === undefined ? '' : `:${sshPort}`}`
      return `${name}=${place}${mac === undefined ? '' : `@${mac}`}`
    })
    .join(',')

/** Asks for missing MAC addresses and adds them to `known`. A node without one cannot be woken. */
export async function askMacs(questions: Questions, nodes: readonly SeenNode[], known: Map<string, ConfiguredNode>) {
  const bare = nodes.filter(({ name }) => known.get(name)?.mac === undefined)
  if (bare.length === 0 || !(await questions.confirm('\nEnter MAC addresses, so that nodes can be woken?', true)))
    return
  for (const node of bare) {
    const host = addressOf({ nodes: known }, node)?.host
    if (host === undefined) {
      questions.say(`! The address of ${node.name} is not known: name it in JARVIS_NODES.`)
      continue
    }
    for (;;) {
      const mac = await questions.ask(`MAC of ${node.name} (ip link shows it; Enter: none)`)
      if (mac === '') break
      const made = parseNodes(nodeList(new Map([[node.name, { ...(known.get(node.name) ?? { host }), mac }]])))
      const entry = made.ok ? made.nodes.get(node.name) : undefined
      if (entry !== undefined) {
        known.set(node.name, entry)
        break
      }
      questions.say('That is no MAC address. One looks like aa:bb:cc:dd:ee:01.')
    }
  }
}

/** `lines`: host keys that a person accepted, for known_hosts. */
export type SshAnswer = { user: string; keyPath: string; lines: string[] }

/** Asks for account, key and host keys, and tries a login on each node. Leaves no file behind. @returns undefined if SSH is not set up */
export async function askSsh(
  questions: Questions,
  given: Given,
  parts: { env: Env; nodes: readonly SeenNode[]; known: ConfiguredNodes; knownHostsPath: string },
): Promise<SshAnswer | undefined> {
  const { env, nodes, known, knownHostsPath } = parts
  if (given.key === undefined && !given.isAsking) return undefined
  if (
    given.key === undefined &&
    !(await questions.confirm('\nSet up SSH (temperatures, commands, other services)?', true))
  ) {
    return undefined
  }
  const user =
    given.user ?? (given.isAsking ? await questions.ask('Account on the nodes', env.SSH_USER || 'root') : 'root')
  // Reading the configuration throws the same error as a start with this user would.
  readConfig({ SSH_USER: user })
  const keyPath = given.key ?? (await questions.ask('Private key', env.SSH_KEY_PATH || '~/.ssh/jarvis_ed25519'))
  if (!existsSync(pathOf(keyPath))) {
    questions.say(`! ${keyPath} is not there yet. Make it: ssh-keygen -t ed25519 -N "" -f ${keyPath}`)
    questions.say(`  Then put it on each node: ssh-copy-id -i ${keyPath} ${user}@NODE, and run this again.`)
  }
  const online = nodes.filter(({ isOnline }) => isOnline !== false)
  const offers = await Promise.all(
    online.map((node) => offer(node, { nodes: known, knownHostsPath }, questions.signal)),
  )
  questions.signal.throwIfAborted()
  const lines: string[] = []
  const reached: SeenNode[] = []
  for (const [index, node] of online.entries()) {
    const offered = offers[index]
    if (offered === undefined || typeof offered === 'string') {
      questions.say(`✗ ${node.name}: ${offered ?? 'its address is not known'}`)
    } else if (await isAccepted(questions, { isAsking: given.isAsking, name: node.name }, offered)) {
      reached.push(node)
      if (offered.verdict === 'unknown') lines.push(offered.line)
    }
  }
  if (existsSync(pathOf(keyPath))) await tryLogins(questions, { ...parts, user, keyPath, lines, reached })
  return { user, keyPath, lines }
}

async function offer(
  node: SeenNode,
  { nodes, knownHostsPath }: { nodes: ConfiguredNodes; knownHostsPath: string },
  signal: AbortSignal,
) {
  const address = addressOf({ nodes }, node)
  if (address === undefined) return undefined
  try {
    return await offeredKey(address, knownHostsPath, signal)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function isAccepted(
  questions: Questions,
  { isAsking, name }: { isAsking: boolean; name: string },
  offered: OfferedKey,
): Promise<boolean> {
  const shown = `${name} shows the host key ${offered.fingerprint} (${offered.type})`
  switch (offered.verdict) {
    case 'known':
      questions.say(`✓ ${shown}, which is known.`)
      return true
    case 'unknown':
      questions.say(`  ${shown}.`)
      return !isAsking || questions.confirm('Does ssh-keygen -lf on its console show the same? Accept it', false)
    default:
      // A changed or revoked key is never accepted by a key press, because an attacker may be between JARVIS and the node.
      questions.say(
        `✗ ${shown}, but known_hosts ${offered.verdict === 'changed' ? 'has another' : 'revokes it'}. Mend that by hand.`,
      )
      return false
  }
}

type Logins = {
  user: string
  keyPath: string
  lines: readonly string[]
  reached: readonly SeenNode[]
  env: Env
  known: ConfiguredNodes
  knownHostsPath: string
}

/** Tries logins with a copy of known_hosts to which the accepted keys are added. The real file is written at the end of the setup. */
async function tryLogins(questions: Questions, { user, keyPath, lines, reached, env, known, knownHostsPath }: Logins) {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-setup-'))
  try {
    const copy = join(dir, 'known_hosts')
    writeFileSync(copy, existsSync(knownHostsPath) ? readFileSync(knownHostsPath) : '', { mode: 0o600 })
    addKnownHosts(copy, lines)
    const ssh = { user, keyPath: pathOf(keyPath), agentSocket: env.SSH_AUTH_SOCK || undefined, knownHostsPath: copy }
    for (const { health, text, fix } of await sshChecks({ nodes: known, ssh }, reached, {
      clock: systemClock,
      signal: questions.signal,
    })) {
      questions.say(`${health === 'ok' ? '✓' : '✗'} ${text}${fix === undefined ? '' : ` → ${fix}`}`)
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

export function addKnownHosts(path: string, lines: readonly string[]): void {
  if (lines.length === 0) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const gap = before === '' || before.endsWith('\n') ? '' : '\n'
  appendFileSync(path, `${gap}${lines.join('\n')}\n`, { mode: 0o600 })
}
