import type { Homelab, PveApi } from 'homelab-ports/ports'
import type { ClusterState } from 'protocol'
import { redactedShell, redactedText, type ShellRedactor } from './redacted-shell.ts'

/**
 * Wraps a homelab so that its answers have no secrets. Names, logs and outputs are redacted as a whole, before anything shortens them. Terminals
 * belong to a person and stay unredacted.
 */
export function redactedHomelab(homelab: Homelab, redact: ShellRedactor): Homelab {
  const { api, drillApi, cluster, pbs, shell } = homelab
  const after = async <T>(answer: Promise<T>) => redact.later(await answer)
  const shownApi = (from: PveApi): PveApi => ({
    ...from,
    async get(...args) {
      const answer = await from.get(...args)
      const lines = linesIn(answer)
      return lines === undefined ? redact.later(answer) : lines.wrap(await redactedText(lines.text, redact))
    },
    change: (...args) => after(from.change(...args)),
  })
  const { history } = cluster
  let last: { from: ClusterState; state: ClusterState } | undefined
  return {
    ...homelab,
    ...(pbs && { pbs: { get: (...args: Parameters<typeof pbs.get>) => after(pbs.get(...args)) } }),
    cluster: {
      ...cluster,
      state() {
        const from = cluster.state()
        // An unchanged state stays the same object, so it is redacted once.
        if (last?.from !== from) last = { from, state: redact.value(from) }
        return last.state
      },
      nodeDetail: (...args) => after(cluster.nodeDetail(...args)),
      temperature: (...args) => after(cluster.temperature(...args)),
      tasks: (...args) => after(cluster.tasks(...args)),
      backups: (...args) => after(cluster.backups(...args)),
      power({ expected, ...request }, options) {
        // The caller knows only the redacted name, so the expected name is replaced by the real one.
        const name = cluster.state().guests.find((guest) => guest.vmid === request.vmid)?.name
        const isSame = expected !== undefined && name !== undefined && redact.value(name) === expected.name
        const wanted = isSame ? { ...expected, name } : expected
        return after(cluster.power({ ...request, expected: wanted }, options))
      },
      ...(history && {
        async *history(...args: Parameters<typeof history>) {
          // The names repeat some hundred times in a day's records, so redacted names are cached.
          const shown = new Map<string, string>()
          const show = (name: string) => {
            const before = shown.get(name)
            if (before !== undefined) return before
            shown.set(name, redact.value(name))
            return show(name)
          }
          for await (const { minutes, samples } of history(...args)) {
            const named = samples.map((one) => (show(one.name) === one.name ? one : { ...one, name: show(one.name) }))
            yield { minutes, samples: named }
          }
        },
      }),
      unit: (...args) => after(cluster.unit(...args)),
      restartService: (...args) => after(cluster.restartService(...args)),
    },
    api: shownApi(api),
    drillApi: drillApi && shownApi(drillApi),
    shell: redactedShell(shell, redact),
  }
}

/**
 * Joins a log's lines to one text, because a secret such as a private key may span several lines. The lines are strings, or rows with a number and a
 * text. @returns undefined if the answer is not a log
 */
function linesIn(answer: unknown): { text: string; wrap(text: string): unknown } | undefined {
  if (!Array.isArray(answer) || answer.length === 0) return undefined
  if (answer.every((line) => typeof line === 'string'))
    return { text: answer.join('\n'), wrap: (text) => text.split('\n') }
  const isRow = (row: unknown) => typeof (row as { t?: unknown } | null)?.t === 'string'
  if (!answer.every(isRow)) return undefined
  const rows = answer as { n: number; t: string }[]
  const wrap = (text: string) => text.split('\n').map((t, at) => ({ n: (rows[0]?.n ?? 1) + at, t }))
  return { text: rows.map(({ t }) => t).join('\n'), wrap }
}
