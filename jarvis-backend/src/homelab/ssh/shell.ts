import { setMaxListeners } from 'node:events'
import type { CommandOptions, CommandOutput, Shell } from 'homelab-ports/ports'
import { JarvisError } from 'protocol'
import { connect, type SshOptions } from './connect.ts'
import { SessionPool } from './pool.ts'
import { type CommandLimits, NotBegun, runCommand } from './run-command.ts'

/** Maximum sessions per connection. Less than sshd's default of 10, because sshd counts an ended session for a moment longer. */
const maxSessions = 6
const usual: CommandLimits = { startMs: 10_000, commandMs: 300_000, graceMs: 2_000, keepBytes: 32 * 1024 }
/** Programs that reserve far more virtual memory than they use: Go programs, and Ceph with its many threads. */
const roomy = new Set([
  'docker',
  'tailscale',
  'ceph',
  'rbd',
  'rados',
  'nvidia-smi',
  'podman',
  'kubectl',
  'k3s',
  'microk8s',
])
const mb = 1024

/**
 * Limits of CPU seconds and memory (kB) for each program: a pattern or a filter can multiply its input, and an abandoned program may run
 * on. A shell that cannot set limits runs without them.
 */
function boundsOf(program: string, isFilter: boolean): string {
  const memoryKb = isFilter ? 512 * mb : roomy.has(program) ? 2_048 * mb : 1_024 * mb
  return `ulimit -t ${isFilter ? 10 : 60} 2>/dev/null; ulimit -v ${memoryKb} 2>/dev/null; `
}

/**
 * Runs commands on nodes over SSH: one connection per node, no TTY, and exactly the words that the gate has judged.
 * @param options.idleMs a connection that is unused for this long is ended
 */
export function createSshShell(
  options: SshOptions & { idleMs?: number; limits?: Partial<CommandLimits> },
): Shell & { close(): void } {
  const { clock, quote, idleMs = 300_000 } = options
  const limits = { ...usual, ...options.limits }
  const pool = new SessionPool({ connect: (node) => connect(node, options), clock, idleMs, maxSessions })

  return {
    run,
    async leadTo(node, paths, options) {
      const { stdout } = await run(node, [['realpath', '--', ...paths]], options)
      return stdout.split('\n').filter((path) => path !== '')
    },
    close: () => pool.close(),
  }

  async function run(
    node: string,
    stages: readonly (readonly string[])[],
    { signal, input, keepBytes = limits.keepBytes }: CommandOptions,
  ): Promise<CommandOutput> {
    const line = boundsOf(stages[0]?.[0] ?? '', input !== undefined) + stages.map(quote).join(' | ')
    // Turn off Node's warning about many listeners: one signal may abort many commands, and each adds one.
    setMaxListeners(0, signal)
    for (let losses = 0; ; ) {
      const lease = await pool.lease(node, signal)
      try {
        const parts = { node, clock, limits: { ...limits, keepBytes }, signal }
        return await runCommand(lease, line, input === undefined ? parts : { ...parts, input })
      } catch (error) {
        if (!(error instanceof NotBegun)) throw error
        // An idle connection may have died unnoticed. A command that did not begin is retried on a new connection.
        if (error.why === 'lost') losses += 1
        if (error.why === 'lost' ? losses < 2 : !lease.isHopeless()) continue
        throw error.why === 'lost'
          ? new JarvisError('cluster_unreachable', `The connection to ${node} was lost before the command began.`)
          : new JarvisError('cluster_refused', `${node} takes no sessions over SSH (MaxSessions in its sshd_config).`)
      }
    }
  }
}
