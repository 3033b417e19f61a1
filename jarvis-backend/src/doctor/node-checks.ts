import { type DoctorCheck, JarvisError } from 'protocol'
import type { Config } from '../config/config.ts'
import { quote } from '../gate/index.ts'
import type { SeenNode } from '../homelab/connect.ts'
import { type Address, createSshShell, offeredKey } from '../homelab/ssh/index.ts'
import type { Clock } from '../lib/clock.ts'
import { bad, badFrom, ok, warn } from './check.ts'

type Reached = Pick<Config, 'nodes' | 'ssh'>
const width = 8
const sshdFix = 'Is sshd running there, and no firewall between? JARVIS_NODES names another place or port.'

/** Returns a node's SSH address: the operator's setting, otherwise the address that the cluster names. */
export function addressOf(config: Pick<Config, 'nodes'>, { name, address }: SeenNode): Address | undefined {
  const configured = config.nodes.get(name)
  const host = configured?.host ?? address
  return host === undefined ? undefined : { host, port: configured?.sshPort ?? 22 }
}

/** Checks host key and login of each node that is or may be online; offline nodes are reported elsewhere. */
export async function sshChecks(
  config: Reached,
  nodes: readonly SeenNode[],
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<DoctorCheck[]> {
  const { keyPath, agentSocket } = config.ssh
  if (keyPath === undefined && agentSocket === undefined) {
    return [
      warn(
        'SSH',
        'No key is set: temperatures, execute_ssh and services beyond the API’s own do not work.',
        'npm run jarvis -- setup asks for one; ssh-keygen -t ed25519 -N "" -f ~/.ssh/jarvis_ed25519 makes one.',
      ),
    ]
  }
  const targets = new Map(nodes.map((node) => [node.name, addressOf(config, node)]))
  const shell = createSshShell({
    ...config.ssh,
    clock,
    quote,
    addressOf(node) {
      const address = targets.get(node)
      if (address !== undefined) return address
      throw new JarvisError('not_found', `The address of ${node} is not known.`)
    },
  })
  const check = async ({ name }: SeenNode): Promise<DoctorCheck> => {
    const address = targets.get(name)
    if (address === undefined) {
      return warn(
        'SSH',
        `The address of ${name} is not known.`,
        `Add it to JARVIS_NODES, for example ${name}=10.0.4.11`,
      )
    }
    try {
      const { verdict, fingerprint } = await offeredKey(address, config.ssh.knownHostsPath, signal)
      const { exitCode } = await shell.run(name, [['true']], { signal })
      const who = `${config.ssh.user}@${address.host}:${address.port}`
      if (exitCode === 0) return ok('SSH', `${name}: ${who} lets JARVIS in, host key ${fingerprint} is ${verdict}.`)
      return bad(
        'SSH',
        `${name}: ${who} runs no commands (exit code ${exitCode}).`,
        'Look at that account’s shell and authorized_keys.',
      )
    } catch (error) {
      if (signal.aborted) return bad('SSH', `${name} did not answer in time.`, sshdFix)
      const { message } = error instanceof Error ? error : { message: String(error) }
      if (!/cannot be reached|did not answer|closed the connection/.test(message))
        return badFrom('SSH', error, 'npm run jarvis -- setup goes through the keys again.')
      return bad('SSH', message.startsWith(name) ? message : `${name}: ${message}`, sshdFix)
    }
  }
  try {
    const online = nodes.filter(({ isOnline }) => isOnline !== false)
    const checks: DoctorCheck[] = []
    for (let from = 0; from < online.length; from += width) {
      checks.push(...(await Promise.all(online.slice(from, from + width).map(check))))
    }
    // A problem on this machine is reported once, not for each node.
    return [...new Map(checks.map((check) => [check.text, check])).values()]
  } finally {
    shell.close()
  }
}

/** Checks that each node can be woken, and that `JARVIS_NODES` names only existing nodes. */
export function wakeChecks(config: Pick<Config, 'nodes' | 'wolTarget'>, nodes: readonly SeenNode[]): DoctorCheck[] {
  const strangers = [...config.nodes.keys()].filter((name) => !nodes.some((node) => node.name === name))
  const { address, port } = config.wolTarget
  return [
    ...nodes.map(({ name }) => {
      const mac = config.nodes.get(name)?.mac
      if (mac !== undefined) return ok('Wake-on-LAN', `${name}: ${mac} by way of ${address}:${port}.`)
      const fix = `Add its MAC to JARVIS_NODES, for example ${name}=ADDRESS@aa:bb:cc:dd:ee:01; ip link on the node shows it.`
      return warn('Wake-on-LAN', `${name} cannot be woken: its MAC is not known.`, fix)
    }),
    ...strangers.map((name) =>
      warn(
        'Wake-on-LAN',
        `JARVIS_NODES names ${name}, which the cluster does not.`,
        'Node names are case-sensitive: correct it, or take it out.',
      ),
    ),
  ]
}
