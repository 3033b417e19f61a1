import type { Card, Entry, PlanRun } from 'protocol'
import type { Ask } from '../lib/one-connection.ts'
import { createRemote } from './remote/remote.ts'

/** The ending of a runbook that was started. `waits`: a card waits for a person; `open`: the plan still runs, and the time to wait is over. */
export type RunbookEnd = 'done' | 'failed' | 'waits' | 'denied' | 'open'

export type StartRunbook = {
  /** Address of the running server, such as `http://127.0.0.1:4000`. */
  url: string
  password: string
  /** Sends each request only to a server that has proved its identity. @throws JarvisError if another program answers */
  ask?: Ask | undefined
  name: string
  inputs: Record<string, string>
  /** Longest time to wait for the end, ms. */
  waitMs: number
  /** Time between two looks, ms. */
  everyMs: number
  say(line: string): void
  now(): number
  sleep(ms: number): Promise<void>
}

/**
 * Starts a runbook on the running server, and waits for its end. Decides nothing: a card is left to the dashboard. @throws JarvisError `not_found`
 * if no server answers; the server's refusal
 */
export async function startRunbook(parts: StartRunbook): Promise<RunbookEnd> {
  const { name, inputs, say, now } = parts
  const remote = createRemote(parts.url, undefined, parts.ask)
  const { token } = await remote.call('POST /api/auth/login', { body: { password: parts.password } })
  const { call } = remote.as(token)
  const { sessionId } = await call('POST /api/runbooks/:name/run', { params: { name }, body: { inputs } })
  say(`Started in session ${sessionId}.`)
  const until = now() + parts.waitMs
  let told: string | undefined
  for (;;) {
    const plans = (await call('GET /api/plans', { query: { limit: 50 } })).items
    const plan = plans.find((one) => one.sessionId === sessionId)
    // The list of cards is not read, because a program that reads it counts as a screen that shows the cards.
    const { items } = await call('GET /api/sessions/:id/entries', { params: { id: sessionId } })
    const end = plan === undefined ? endBefore(items, say) : endOf(plan, say)
    if (end !== undefined) return end
    const card = openCard(items)
    if (card !== undefined && told !== card.toolUseId) say(`A card waits for a person: ${card.sentence} ${card.reason}`)
    told = card?.toolUseId ?? told
    if (now() >= until) {
      say('Nobody waits here any longer; the dashboard shows how it goes on.')
      return card === undefined ? 'open' : 'waits'
    }
    await parts.sleep(parts.everyMs)
  }
}

const openCard = (entries: readonly Entry[]): Pick<Card, 'toolUseId' | 'sentence' | 'reason'> | undefined =>
  entries
    .flatMap((entry) => (entry.type === 'confirm_needed' ? [entry] : []))
    .find(({ toolUseId: id }) => !entries.some((one) => one.type === 'confirm_resolved' && one.toolUseId === id))

/** The ending of a runbook whose plan has not begun; undefined while the plan may still begin. */
function endBefore(items: readonly Entry[], say: (line: string) => void): RunbookEnd | undefined {
  for (const entry of items) {
    if (entry.type === 'blocked') say(`Refused: ${entry.reason}`)
    else if (entry.type === 'tool_result') say(entry.summary)
    else if (entry.type === 'confirm_resolved' && entry.decision !== 'approved' && entry.replacedBy === undefined) {
      say(`The card was ${entry.decision} by ${entry.by}.`)
      return 'denied'
    } else if (entry.type === 'error') say(entry.error)
    else continue
    return 'failed'
  }
  return undefined
}

function endOf({ state, steps, why }: PlanRun, say: (line: string) => void): RunbookEnd | undefined {
  if (state === 'running' || state === 'asks') return undefined
  for (const { number, sentence, title, state: stood, outcome, read } of steps) {
    const came = outcome ?? read
    say(`${number}. ${sentence || title} ${stood}${came === undefined ? '' : `: ${came}`}`)
  }
  say(`The plan ${state === 'done' ? 'is done' : 'was stopped'}.${why === undefined ? '' : ` ${why}`}`)
  return state === 'done' ? 'done' : 'failed'
}
