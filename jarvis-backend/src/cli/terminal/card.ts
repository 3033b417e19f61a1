import type { Card, PlanStep, UndoFacts } from 'protocol'
import { isFinal } from 'protocol/facts'
import { callWords, isPlan } from '../../calls/call-words.ts'
import { dayOf, leftOf, markOf, narrow, type Style, shapeOf, wrap } from './style.ts'
import { visible } from './visible.ts'

const labelWidth = 10

/** A fact of a card, with a bar before each line. The whole fact is shown, in as many lines as it needs. */
function factLines(
  { label, text }: { label: string; text: string },
  style: Style,
  paint = (line: string) => line,
): string[] {
  const bar = style.red('|')
  if (style.width < narrow) {
    return [`${bar} ${label}`, ...wrap(text, style.width - 4).map((line) => `${bar}   ${paint(line)}`)]
  }
  return wrap(text, style.width - labelWidth - 3).map(
    (line, index) => `${bar} ${(index === 0 ? label : '').padEnd(labelWidth)}${paint(line)}`,
  )
}

/** The text for the middle of a sentence. A name in capitals stays as it is. */
const lower = (text: string) => (/^[A-Z](?:[a-z]| )/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text)

const undoWords = ({ sentence, until, loses, ...undo }: UndoFacts) =>
  undo.kind === 'none'
    ? `${isFinal(undo) ? 'cannot be undone: ' : ''}${sentence}`
    : [
        sentence,
        until === undefined ? '' : ` Until ${dayOf(until)}.`,
        loses === undefined ? '' : ` Loses ${lower(loses)}`,
      ].join('')

function stepLines(
  { number, tier, toolName, toolInput, now, then, undo, check, when, isLater }: PlanStep,
  style: Style,
): string[] {
  const bar = style.red('|')
  const inner = (text: string) => wrap(visible(text), style.width - 11).map((line) => `${bar}          ${line}`)
  const [first = '', ...rest] = inner(callWords({ toolName, toolInput }))
  return [
    `${bar} ${String(number).padStart(2)} ${shapeOf(tier, style)}   ${first.slice(bar.length + 10)}`,
    ...rest,
    ...(now === undefined && then === undefined
      ? []
      : inner([now, then].filter((part) => part !== undefined).join(' -> '))),
    ...(undo === undefined ? [] : inner(`undo: ${undoWords(undo)}`)),
    ...(check === undefined ? [] : inner(`check: ${check}`)),
    ...(when === undefined ? [] : inner(`when: ${when}`)),
    ...(isLater === true ? inner('asks again when its turn comes') : []),
  ]
}

/** Names the caller: `main`, `coder, for main`, `client, token ops-laptop`. */
function askedBy({ kind, name, token, agent, for: whose }: Card['requestedBy']): string {
  const who =
    kind === 'chat'
      ? (agent ?? 'main')
      : kind === 'command'
        ? `${name}, who typed it`
        : kind === 'v1'
          ? 'a program'
          : `${kind} ${name}`
  return `${who}${whose === undefined ? '' : `, for ${whose}`}${token === undefined ? '' : `, token ${token}`}`
}

/** The lines of a whole card. Names in it were written by others, so characters that could hide something are shown as codes. @param now Unix ms */
export function cardLines(card: Card, now: number, style: Style): string[] {
  const { plan } = card
  const ask = card.sentence ?? `Run ${card.toolName}?`
  const left = card.expiresAt <= now ? 'expired' : `expires in ${leftOf(card.expiresAt - now)}`
  const fact = (label: string, text: string | undefined, paint?: (line: string) => string) =>
    text === undefined || text === '' ? [] : factLines({ label, text: visible(text) }, style, paint)
  const bar = style.red('|')
  const isLoud = isFinal(card.undo)
  return [
    ...wrap(visible(ask), Math.max(20, style.width - 13)).map((line, index) =>
      index === 0
        ? `${bar} ${markOf('red', style)}${style.bold(line)}`
        : `${bar} ${' '.repeat(labelWidth)}${style.bold(line)}`,
    ),
    ...fact('Changed', card.changed, style.bold),
    ...(plan === undefined
      ? [
          ...fact('Now', card.now),
          ...fact('Then', card.then),
          ...fact('Affects', card.affects),
          ...(card.undo ? fact('Undo', undoWords(card.undo), isLoud ? style.bold : undefined) : []),
          ...(card.later ? fact('Later', `${card.later.sentence} ${dayOf(card.later.at)}`) : []),
        ]
      : [
          ...fact('Goal', plan.goal),
          ...fact('Done when', plan.criteria),
          bar,
          ...plan.steps.flatMap((step) => stepLines(step, style)),
          bar,
          ...fact('Plan', `${plan.steps.length} steps, stops at the first surprise. ${plan.hash.slice(0, 12)}`),
        ]),
    ...fact('Why', (card.reasons ?? [card.reason]).join(' ')),
    ...fact('Call', isPlan(card.toolInput) ? callWords(card) : `${card.toolName} ${JSON.stringify(card.toolInput)}`),
    ...fact('Asked by', askedBy(card.requestedBy)),
    ...fact('Id', `${card.toolUseId}, ${left}`),
  ]
}
