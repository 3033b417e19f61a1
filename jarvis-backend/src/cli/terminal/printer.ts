import type { Entry, EntryOf, Question, StreamEvents, Tier } from 'protocol'
import { cardLines } from './card.ts'
import { columns, countOf, dayOf, markOf, type Style, timeOf } from './style.ts'
import { visible, visibleLines } from './visible.ts'

/** An event of a session's stream, or an entry of its transcript under its event's name. */
export type Told = { [E in keyof StreamEvents]: { event: E; data: StreamEvents[E] } }[keyof StreamEvents]

export const toldOf = ({ type, ...entry }: Entry, sessionId: string): Told =>
  ({ event: `chat:${type}`, data: { sessionId, ...entry } }) as Told

type Options = {
  style: Style
  now(): number
  /** A line about what happens. */
  say(line: string): void
  /** A piece of the answer's text; absent: the answer is not printed. */
  text?(piece: string): void
  /** Messages of people are shown too, with times. */
  isReplay?: true
}

/** Prints a session as it is told. Every text but JARVIS's own words is another's, so nothing in it reaches the terminal as a code. */
export function createPrinter({ style, now, say, text, isReplay }: Options) {
  const calls = new Map<string, { tier?: Tier; words: string }>()
  const children = new Map<string, string>()
  /** Text of the turn that streams, as far as it was printed. */
  let shown = ''
  let begunAt: number | undefined
  let called = 0

  const indent = (runId: string | undefined) => (runId !== undefined && children.has(runId) ? '  ' : '')
  function write(piece: string) {
    shown += piece
    text?.(visibleLines(piece))
  }
  /** Ends the line that streams, so that another can be said. */
  function rest() {
    if (shown !== '' && !shown.endsWith('\n')) text?.('\n')
    shown = ''
  }
  /** Writes what is not shown yet of a turn, also after a stream that was cut. */
  function whole(all: string) {
    if (all.startsWith(shown)) write(all.slice(shown.length))
    else {
      rest()
      write(all)
    }
  }
  const line = (words: string) => {
    rest()
    say(words)
  }
  const row = (tier: Tier | undefined, runId: string, words: string, came: string, tookMs?: number) => {
    called += 1
    const took = tookMs === undefined ? '' : style.dim(`  ${spanMs(tookMs)}`)
    for (const each of columns(
      [
        [
          `${indent(runId)}${tier === undefined ? ' '.repeat(10) : markOf(tier, style)}`,
          visible(words),
          `${came}${took}`,
        ],
      ],
      style,
    ))
      line(each)
  }
  function tellChild(entry: EntryOf<'subrun'>) {
    if (entry.change === 'end') return line(`${visible(entry.agent)} ${entry.state}: ${visible(entry.summary)}`)
    children.set(entry.runId, entry.agent)
    line(`${visible(entry.agent)} works for ${visible(entry.for)}: ${visible(entry.task)}`)
  }
  const nameOf = (toolUseId: string) => calls.get(toolUseId)?.words ?? toolUseId

  return {
    rest,
    tell({ event, data }: Told) {
      const at = isReplay === true && 'at' in data ? `${style.dim(timeOf(data.at))} ` : ''
      switch (event) {
        case 'chat:user':
          begunAt = data.at
          called = 0
          if (isReplay === true)
            line(`\n${at}${style.bold(`> ${visibleLines(data.text)}`)}  ${style.dim(visible(data.by))}`)
          return
        case 'chat:token':
          if (!children.has(data.runId)) write(data.text)
          return
        case 'chat:taken_back':
          if (!children.has(data.runId)) line(style.dim('(The model was thinking so far.)'))
          return
        case 'chat:partial':
          if (data.text !== '') whole(data.text)
          return
        case 'chat:assistant': {
          for (const part of data.content)
            if (part.type === 'tool_call') calls.set(part.toolUseId, { words: wordsOf(part) })
          if (children.has(data.runId)) return
          const said = data.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
          if (said !== '') whole(said)
          rest()
          return
        }
        case 'chat:tool_use':
          calls.set(data.toolUseId, { tier: data.tier, words: wordsOf(data) })
          return
        case 'chat:tool_progress':
          line(style.dim(`    ${visible(data.message)}`))
          return
        case 'chat:tool_result': {
          const { tier, words = 'call' } = calls.get(data.toolUseId) ?? {}
          const came =
            data.isUnknown === true
              ? style.yellow(`? unknown: ${visible(data.summary)}`)
              : data.isError
                ? style.red(`failed: ${visible(data.summary)}`)
                : visible(data.summary)
          row(tier, data.runId, words, came, data.durationMs)
          return
        }
        case 'chat:blocked':
          row('black', data.runId, wordsOf(data), `refused: ${visible(data.reason)}`)
          return
        case 'chat:confirm_needed':
          line('')
          for (const each of cardLines(data, now(), style)) line(each)
          return
        case 'chat:confirm_resolved':
          if (data.replacedBy === undefined)
            line(
              `${style.red('|')} ${data.decision} by ${visible(data.by)}${data.note === undefined ? '' : `: ${visible(data.note)}`}`,
            )
          return
        case 'chat:question':
          for (const each of questionLines(data, style)) line(each)
          return
        case 'chat:question_resolved':
          line(`? ${data.end} by ${visible(data.by)}`)
          return
        case 'chat:subrun':
          tellChild(data as unknown as EntryOf<'subrun'>)
          return
        case 'chat:plan':
          for (const item of data.items) line(`  [${item.state === 'done' ? 'x' : ' '}] ${visible(item.text)}`)
          return
        case 'chat:reconciled':
          line(`Found out later, of ${nameOf(data.toolUseId)}: ${visible(data.text)}`)
          return
        case 'chat:compaction':
          if (data.what === 'turns')
            line(
              style.dim(
                `${data.count} entries folded, ${countOf(data.tokensBefore)} -> ${countOf(data.tokensAfter)} tokens`,
              ),
            )
          return
        case 'chat:notice':
          line(style.dim(visible(data.message)))
          return
        case 'chat:budget':
        case 'chat:stuck':
          line(visible(data.text))
          return
        case 'chat:error':
          line(style.red(`The model failed: ${visible(data.error)}`))
          return
        case 'chat:done': {
          if (children.has(data.runId)) return
          const { inputTokens, cacheReadTokens, cacheWriteTokens } = data.usage
          const parts = [
            ...(begunAt === undefined ? [] : [spanMs(data.at - begunAt)]),
            ...(called === 0 ? [] : [`${called} ${called === 1 ? 'call' : 'calls'}`]),
            `${countOf(inputTokens + cacheReadTokens + cacheWriteTokens)} in`,
            ...(data.costUsd === undefined ? [] : [`$${data.costUsd.toFixed(2)}`]),
            ...(data.stopReason === 'end_turn' ? [] : [data.stopReason.replaceAll('_', ' ')]),
          ]
          line(style.dim(parts.join('   ')))
          return
        }
        default:
      }
    },
  }
}

/** `stop_vm vmid=103`. */
function wordsOf({ toolName, toolInput }: Pick<EntryOf<'tool_use'>, 'toolName' | 'toolInput'>): string {
  const values = Object.entries(toolInput).map(([key, value]) =>
    key === 'vmid' || key === 'node'
      ? String(value)
      : `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return [toolName, ...values].join(' ')
}

const spanMs = (ms: number) =>
  ms < 1_000 ? `${Math.round(ms)} ms` : ms < 120_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`

/** A question with its options, counted from 1. */
export function questionLines(question: Question, style: Style): string[] {
  const who = question.server === undefined ? '' : ` by the server ${visible(question.server)}`
  return [
    `${style.bold('?')} Question${who} ${visible(question.questionId)}, until ${dayOf(question.expiresAt)}`,
    ...(question.message === undefined ? [] : [`  ${visible(question.message)}`]),
    ...(question.url === undefined ? [] : [`  ${visible(question.url)}`]),
    ...question.items.flatMap(({ text: asked, options, hint }) => [
      `  ${style.bold(visible(asked))}${hint === undefined ? '' : `  ${visible(hint)}`}`,
      ...options.map(
        ({ label, note }, index) =>
          `    ${index + 1}. ${visible(label)}${note === undefined ? '' : `  ${visible(note)}`}`,
      ),
    ]),
  ]
}
