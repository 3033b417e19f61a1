import { type Checkpoint, type CheckpointDetail, type Entry, JarvisError, type Page } from 'protocol'
import type { Config } from '../config/config.ts'
import { exitCodes } from './exit-codes.ts'
import type { Input } from './options.ts'
import { reach } from './remote/reach.ts'
import { linesOf, type Remote } from './remote/remote.ts'
import { Printer, toldOf } from './terminal/printer.ts'
import { columns, countOf, dayOf, styleFor } from './terminal/style.ts'
import { visible } from './terminal/visible.ts'

type Asked = Input<{ url?: string; json?: boolean }>

/** Makes a command that reads a part of a session and prints it, as JSON if `--json` asks. */
const reading =
  <T>(
    name: 'children' | 'context' | 'checkpoints',
    ask: (remote: Remote, id: string, rest: string[]) => Promise<T>,
    lines: (read: T, rest: string[]) => string[],
  ) =>
  async (config: Config, { values, positionals }: Asked): Promise<void> => {
    const [session, ...rest] = positionals
    if (session === undefined)
      throw new JarvisError('invalid_request', `Use ${name} SESSION. jarvis sessions lists them.`)
    const remote = await reach(config, values.url)
    const read = await ask(remote, session, rest)
    console.log(values.json === true ? JSON.stringify(read, null, 2) : lines(read, rest).join('\n'))
  }

const style = () => styleFor(process.stdout)
const dollars = (usd: number | undefined) => (usd === undefined ? 'price not known' : `$${usd.toFixed(2)}`)

type Filters = Partial<Record<'agent' | 'person' | 'channel' | 'since' | 'until', string>>

/** The filters of a list. Days are days of this machine. @throws JarvisError `invalid_request` */
function filtersOf({ agent, person, channel, since, until }: Filters) {
  const begin = (name: string, day: string | undefined, later = 0) => {
    if (day === undefined) return undefined
    const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day)?.map(Number) ?? []
    if (year === undefined || month === undefined || date === undefined)
      throw new JarvisError('invalid_request', `--${name} takes a day such as 2026-11-02.`)
    return new Date(year, month - 1, date + later).getTime()
  }
  const given = { agent, person, channel, since: begin('since', since), until: begin('until', until, 1) }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<typeof given>
}

/** `jarvis sessions`: lists conversations, newest first. */
export async function sessions(
  config: Config,
  { values, positionals }: Input<{ url?: string; json?: boolean } & Filters>,
): Promise<void> {
  const words = positionals.join(' ')
  const query = { limit: 50, ...(words !== '' && { q: words }), ...filtersOf(values) }
  const remote = await reach(config, values.url)
  // Sessions of programs, such as this command line, have a list of their own.
  const [page, programs] = await Promise.all([
    remote.call('GET /api/sessions', { query }),
    remote.call('GET /api/sessions', { query: { ...query, source: 'v1' } }),
  ])
  page.items = [...page.items, ...programs.items].sort((a, b) => b.updatedAt - a.updatedAt)
  if (values.json === true) console.log(JSON.stringify(page, null, 2))
  else if (page.items.length === 0)
    console.log(Object.keys(query).length === 1 ? 'There is no conversation yet.' : 'No conversation is like that.')
  else {
    const rows = page.items.map(({ id, updatedAt, isRunning, pendingCount, title, found, messages = 0, preview }) => [
      id,
      dayOf(updatedAt),
      pendingCount > 0 ? `waits ${pendingCount}` : isRunning ? 'runs' : '',
      countOf(messages),
      `${visible(title)}  … ${visible(found?.text ?? preview ?? '')}`.replace(/ {2}… $/, ''),
    ])
    console.log(columns(rows, style()).join('\n'))
    if (page.next !== undefined) console.error('There are more. Words narrow the list.')
  }
}

/** `jarvis children`: lists the child runs, in which other agents worked for a session. */
export const children = reading(
  'children',
  (remote, id) => remote.call('GET /api/sessions/:id/children', { params: { id } }),
  ({ items }) =>
    items.length === 0
      ? ['Nothing was handed over.']
      : columns(
          items.map((run) => [
            run.state,
            `${visible(run.agent)} for ${visible(run.for)}`,
            `${run.calls} calls, ${countOf(run.tokens)} tokens, ${dollars(run.costUsd)}`,
            visible(run.summary ?? run.task),
          ]),
          style(),
        ),
)

/** `jarvis context`: shows the parts that fill the model's context window. */
export const context = reading(
  'context',
  (remote, id) => remote.call('GET /api/sessions/:id/context', { params: { id } }),
  (report) => [
    `${visible(report.model)}: ${countOf(report.usedTokens)} of ${countOf(report.windowTokens)} tokens, ${countOf(report.countedTokens)} of them counted by the provider`,
    ...columns(
      report.parts.map(({ part, tokens, count, largest }) => [
        part,
        countOf(tokens),
        String(count),
        largest === undefined ? '' : `largest: ${visible(largest.name)}, ${countOf(largest.tokens)}`,
      ]),
      style(),
    ),
    `spent ${dollars(report.spent.costUsd)}, ${report.spent.folds} folds${report.fold.because === undefined ? `; a fold would take ${report.fold.entries} entries` : `; folding rests: ${visible(report.fold.because)}`}`,
  ],
)

/** `jarvis checkpoints`: lists the points to which a session can go back, or the changes that going back to one takes back. */
export const checkpoints = reading<Page<Checkpoint> | CheckpointDetail>(
  'checkpoints',
  (remote, id, [seq]) =>
    seq === undefined
      ? remote.call('GET /api/sessions/:id/checkpoints', { params: { id } })
      : remote.call('GET /api/sessions/:id/checkpoints/:seq', { params: { id, seq } }),
  (read) => {
    if ('items' in read) {
      if (read.items.length === 0) return ['There is no message to go back to.']
      return columns(
        read.items.map(({ seq, at, files, changes, text }) => [
          String(seq),
          dayOf(at),
          `${files} files, ${changes} changes stay`,
          visible(text),
        ]),
        style(),
      )
    }
    return [
      `${read.seq}  ${dayOf(read.at)}  ${visible(read.text)}`,
      ...read.files.map(
        ({ path, goesBack, because }) =>
          `  ${goesBack ? 'goes back' : 'stays'}  ${visible(path)}${because === undefined ? '' : `: ${visible(because)}`}`,
      ),
      ...read.notUndone.map(
        ({ line, outcome, text }) => `  not undone  ${visible(line)}: ${outcome}, ${visible(text)}`,
      ),
    ]
  },
)

/** `jarvis replay`: prints a whole conversation after verifying the journal. If the journal is broken, prints the conversation and exits 1. */
export async function replay(config: Config, { values, positionals }: Asked): Promise<void> {
  const [session] = positionals
  if (session === undefined) throw new JarvisError('invalid_request', 'Use replay SESSION. jarvis sessions lists them.')
  const remote = await reach(config, values.url)
  const { ok, entries, brokenAt, reason } = await remote.call('GET /api/journal/verify')
  console.error(ok ? `The journal holds: ${entries} entries.` : `The journal is broken at entry ${brokenAt}: ${reason}`)
  const printer = new Printer({
    style: style(),
    now: Date.now,
    isReplay: true as const,
    say: (line) => console.log(line),
    text: (piece) => void process.stdout.write(piece),
  })
  const exported = await remote.open('GET /api/sessions/:id/export', {
    params: { id: session },
    query: { format: 'jsonl' },
  })
  for await (const line of linesOf(exported)) {
    if (values.json === true) console.log(line)
    else printer.tell(toldOf(JSON.parse(line) as Entry, session))
  }
  printer.rest()
  if (!ok) process.exitCode = exitCodes.failed
}
