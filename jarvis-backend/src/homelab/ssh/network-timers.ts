import type { CommandOutput, NetworkTimers, Shell } from 'homelab-ports/ports'
import { JarvisError } from 'protocol'

const usual = { interfaces: '/etc/network/interfaces', runDir: '/run' }
const checksum = /^[0-9a-f]{64}$/

/**
 * Timers of systemd that put a network configuration back, armed over SSH. Each timer runs a script in `runDir`, beside a copy of the old
 * configuration. Timer and JARVIS each begin by moving that copy away, and whoever moves it first wins. A restart of the node removes both files and
 * the timer.
 * @param shell not redacted, because checksums are compared
 * @param paths paths on the node
 */
export function createNetworkTimers(shell: Shell, paths = usual): NetworkTimers {
  const { interfaces, runDir } = paths
  const keptAt = (id: string) => `${runDir}/${unitOf(id)}`

  /** Runs a program on the node. @throws JarvisError, also if the program fails */
  async function must(node: string, argv: readonly string[], options: { signal: AbortSignal; input?: string }) {
    const output = await shell.run(node, [argv], options)
    if (output.exitCode === 0) return output
    throw new JarvisError('cluster_refused', `${argv[0]} on ${node} failed: ${firstLine(output)}`)
  }

  async function checksumOf(node: string, path: string, signal: AbortSignal): Promise<string> {
    const { stdout } = await must(node, ['sha256sum', '--', path], { signal })
    const [sum = ''] = stdout.split(/\s/)
    if (checksum.test(sum)) return sum
    throw new JarvisError('cluster_refused', `sha256sum on ${node} gave no checksum of ${path}`)
  }

  return {
    async obstacle(node, { signal }) {
      try {
        const { stdout: user } = await must(node, ['id', '-u'], { signal })
        if (user.trim() !== '0') return `JARVIS is not root on ${node} over SSH, and only root can arm one.`
        await must(node, ['systemd-run', '--version'], { signal })
        await must(node, ['which', 'ifreload'], { signal })
        return undefined
      } catch (error) {
        if (signal.aborted) throw signal.reason
        return firstSentence(error)
      }
    },

    async arm(node, { id, afterMs }, { signal }) {
      const unit = unitOf(id)
      const kept = keptAt(id)
      const before = await checksumOf(node, interfaces, signal)
      const staged = await checksumOf(node, `${interfaces}.new`, signal)
      await must(node, ['cp', '-pT', '--', interfaces, kept], { signal })
      // Somebody else may have applied the staged configuration meanwhile.
      if ((await checksumOf(node, kept, signal)) !== before)
        throw new JarvisError('conflict', `${interfaces} on ${node} was changed by somebody else just now.`)
      const armed = ['systemd-run', '--quiet', '--collect', `--unit=${unit}`]
      const when = [`--on-active=${Math.max(1, Math.round(afterMs / 1000))}s`, '--timer-property=AccuracySec=1s']
      // The script is a file, because systemd replaces variables in the words of a unit's command.
      const script = scriptOf({ kept, interfaces, before, staged })
      await must(node, ['tee', '--', `${kept}.sh`], { signal, input: script })
      await must(node, [...armed, ...when, '/bin/sh', `${kept}.sh`], { signal })
    },

    async disarm(node, id, { signal }) {
      const kept = keptAt(id)
      const moved = await shell.run(node, [['mv', '-nT', '--', kept, `${kept}.kept`]], { signal })
      const { stdout } = await shell.run(node, [['ls', '-1', '--', `${kept}.kept`, `${kept}.went`, kept]], { signal })
      const there = stdout.split('\n')
      if (there.includes(`${kept}.kept`)) {
        // Without the copy the timer does nothing, so it does not matter if this command fails.
        await shell.run(node, [['systemctl', 'stop', `${unitOf(id)}.timer`]], { signal })
        return 'disarmed'
      }
      if (there.includes(`${kept}.went`)) return 'gone_off'
      if (!there.includes(kept)) return 'missing'
      throw new JarvisError('cluster_refused', `The timer on ${node} could not be taken away: ${firstLine(moved)}`)
    },
  }
}

function unitOf(id: string): string {
  if (/^[\w-]{1,100}$/.test(id)) return `jarvis-undo-${id}`
  throw new Error('A timer is named by the id of its change.')
}

/** Returns the script that a timer runs. It contains only paths and checksums, and no text from outside JARVIS. */
function scriptOf({ kept, interfaces, before, staged }: Record<'kept' | 'interfaces' | 'before' | 'staged', string>) {
  const sum = (path: string) => `$(sha256sum < ${path} | cut -d" " -f1)`
  return [
    `mv -nT -- ${kept} ${kept}.went && test ! -e ${kept} || exit 0`,
    `test ! -e ${interfaces}.new || test "${sum(`${interfaces}.new`)}" != ${staged} || rm -f -- ${interfaces}.new`,
    `now="${sum(interfaces)}"`,
    `test "$now" != ${before} || exit 0`,
    `test "$now" = ${staged} || { echo "JARVIS: ${interfaces} was changed since by somebody else, and is left alone" >&2; exit 1; }`,
    `cp -pT -- ${kept}.went ${interfaces}.jarvis && mv -fT -- ${interfaces}.jarvis ${interfaces} && ifreload -a`,
    '',
  ].join('\n')
}

const firstLine = ({ stderr, stdout, exitCode }: CommandOutput) =>
  `${stderr}\n${stdout}`.split('\n').find((line) => line.trim() !== '') ?? `exit code ${exitCode}`

const firstSentence = (error: unknown) => {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return /[.!?]$/.test(line) ? line : `${line}.`
}
