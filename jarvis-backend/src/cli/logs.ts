import { JarvisError, LogsQuery } from 'protocol'
import type { Config } from '../config/config.ts'
import type { Input } from './options.ts'
import { asOperatorOnce } from './remote/operator.ts'
import { reach } from './remote/reach.ts'
import { timeOf } from './terminal/style.ts'
import { visible, visibleLines } from './terminal/visible.ts'

/** `jarvis logs`: the newest lines of the server's log. Only an operator may read them. */
export async function logs(
  config: Config,
  { values }: Input<{ url?: string; json?: boolean; level?: string; search?: string }>,
): Promise<void> {
  const level = LogsQuery.shape.level.safeParse(values.level)
  if (!level.success) throw new JarvisError('invalid_request', '--level takes error, warn, info or debug.')
  const remote = await reach(config, values.url)
  const { items } = await asOperatorOnce(remote, 'The log', (operator) =>
    operator.call('GET /api/logs', {
      query: { level: level.data, ...(values.search !== undefined && { q: values.search }) },
    }),
  )
  if (values.json === true) console.log(JSON.stringify(items, null, 2))
  else
    for (const { at, level: of, message, detail } of items)
      console.log(
        `${timeOf(at)} ${of.padEnd(5)} ${visible(message)}${detail === undefined ? '' : `\n${visibleLines(detail)}`}`,
      )
}
