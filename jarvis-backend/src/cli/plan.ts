import type { PlanRun } from 'protocol'
import { callWords } from '../calls/call-words.ts'
import type { Config } from '../config/config.ts'
import type { Input } from './options.ts'
import { reach } from './remote/reach.ts'
import { columns, dayOf, markOf, type Style, styleFor } from './terminal/style.ts'
import { visible } from './terminal/visible.ts'

/** `jarvis plan`: lists the plans that began, or the steps of one. */
export async function plan(
  config: Config,
  { values, positionals }: Input<{ url?: string; json?: boolean }>,
): Promise<void> {
  const [id] = positionals
  const remote = await reach(config, values.url)
  const style = styleFor(process.stdout)
  const read =
    id === undefined
      ? await remote.call('GET /api/plans', { query: { limit: 20 } })
      : await remote.call('GET /api/plans/:id', { params: { id } })
  if (values.json === true) console.log(JSON.stringify(read, null, 2))
  else if ('items' in read) {
    const rows = read.items.map(({ id, startedAt, state, title, steps }) => [
      id,
      dayOf(startedAt),
      state,
      `${visible(title)}, ${steps.length} steps`,
    ])
    console.log(rows.length === 0 ? 'No plan began.' : columns(rows, style).join('\n'))
  } else console.log(linesOf(read, style).join('\n'))
}

function linesOf({ title, state, why, by, hash, steps, sessionId }: PlanRun, style: Style): string[] {
  return [
    `${style.bold(visible(title))}  ${state}${why === undefined ? '' : `: ${visible(why)}`}`,
    `by ${visible(by)}, in ${sessionId}, ${hash.slice(0, 12)}`,
    ...columns(
      steps.map(({ number, tier, toolName, toolInput, state: stood, outcome, read }) => {
        const came = outcome ?? read
        return [
          `${String(number).padStart(2)} ${markOf(tier, style)}`,
          stood,
          `${visible(callWords({ toolName, toolInput }))}${came === undefined ? '' : `  ${visible(came)}`}`,
        ]
      }),
      style,
    ),
  ]
}
