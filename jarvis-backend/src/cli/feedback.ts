import { type Feedback, FeedbackAbout, JarvisError } from 'protocol'
import type { Config } from '../config/config.ts'
import type { Input } from './options.ts'
import { reach } from './remote/reach.ts'
import { columns, dayOf, styleFor } from './terminal/style.ts'
import { visible } from './terminal/visible.ts'

/** `jarvis feedback`: lists what people said of answers and of JARVIS, newest first, to the oldest. */
export async function feedback(
  config: Config,
  { values }: Input<{ url?: string; json?: boolean; about?: string }>,
): Promise<void> {
  const about = FeedbackAbout.optional().safeParse(values.about)
  if (!about.success) throw new JarvisError('invalid_request', '--about takes answer or jarvis.')
  const remote = await reach(config, values.url)
  const items: Feedback[] = []
  let before: string | undefined
  do {
    const query = { limit: 200, ...(about.data && { about: about.data }), ...(before !== undefined && { before }) }
    const page = await remote.call('GET /api/feedback', { query })
    items.push(...page.items)
    before = page.next
  } while (before !== undefined)
  if (values.json === true) console.log(JSON.stringify(items, null, 2))
  else if (items.length === 0) console.log('Nobody has said anything yet.')
  else console.log(columns(items.map(rowOf), styleFor(process.stdout)).join('\n'))
}

const rowOf = ({ at, rating, name, text, sessionId, seq }: Feedback) => [
  dayOf(at),
  rating ?? 'jarvis',
  visible(name),
  [text ?? '', sessionId === undefined ? '' : `(${[sessionId, seq ?? []].flat().join(' ')})`]
    .map(visible)
    .join('  ')
    .trim(),
]
