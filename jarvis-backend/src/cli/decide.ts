import { type Card, type GrantRequest, JarvisError } from 'protocol'
import type { Config } from '../config/config.ts'
import { exitCodes } from './exit-codes.ts'
import type { Input } from './options.ts'
import { asOperator, requireTerminal } from './remote/operator.ts'
import { reach } from './remote/reach.ts'
import type { Remote } from './remote/remote.ts'
import { signBySsh } from './ssh-sign.ts'
import { cardLines } from './terminal/card.ts'
import { createPrompt, type Prompt } from './terminal/prompt.ts'
import { columns, leftOf, type Style, styleFor } from './terminal/style.ts'
import { visible } from './terminal/visible.ts'

/** `jarvis waiting`: lists the cards that wait. Exits 3 if there is one. */
export async function waiting(config: Config, { values }: Input<{ url?: string; json?: boolean }>): Promise<void> {
  const remote = await reach(config, values.url)
  const cards = await open(remote)
  if (values.json === true) console.log(JSON.stringify(cards, null, 2))
  else if (cards.length === 0) console.log('No card waits.')
  else {
    const rows = cards.map((card) => [
      card.toolUseId,
      leftOf(card.expiresAt - Date.now()),
      visible(card.sentence ?? card.toolName),
    ])
    console.log(columns(rows, styleFor(process.stdout)).join('\n'))
    console.error('jarvis decide ID shows one in full.')
  }
  if (cards.length > 0) process.exitCode = exitCodes.waits
}

const open = async (remote: Remote) =>
  (await remote.call('GET /api/confirmations')).items.filter(({ decision }) => decision === undefined)

/** `jarvis decide`: shows a card in full and asks for a decision. Only a password that is typed at a terminal decides. */
export async function decide(
  config: Config,
  { values, positionals }: Input<{ url?: string; sign?: string }>,
): Promise<void> {
  const [id = ''] = positionals
  if (id === '' || positionals.length > 1)
    throw new JarvisError('invalid_request', 'Use decide ID. jarvis waiting lists the cards.')
  requireTerminal('A decision')
  const remote = await reach(config, values.url)
  const card = (await open(remote)).find(({ toolUseId }) => toolUseId === id)
  if (card === undefined)
    throw new JarvisError('unknown_confirmation', `No card ${id} waits. jarvis waiting lists them.`)
  const style = styleFor(process.stdout)
  console.log(cardLines(card, Date.now(), style).join('\n'))
  const prompt = createPrompt()
  prompt.onInterrupt(() => prompt.close())
  try {
    const say = (line: string) => console.log(line)
    const decided = await askDecision({ remote, prompt, card, style, say, key: values.sign })
    if (decided === undefined) console.log('Nothing was decided; the card waits.')
    process.exitCode = decided === undefined ? exitCodes.waits : decided ? exitCodes.done : exitCodes.refused
  } finally {
    prompt.close()
  }
}

/**
 * Asks for a decision on a card that was shown: `a` followed by the password approves, `d` denies. @param signal aborts if the card is decided
 * elsewhere @returns true if it was approved; undefined if nothing was decided here
 */
export async function askDecision(of: {
  remote: Remote
  prompt: Prompt
  card: Card
  style: Style
  say(line: string): void
  /** File of the SSH key that signs an approval. */
  key?: string | undefined
  signal?: AbortSignal
}): Promise<boolean | undefined> {
  const { remote, prompt, card, style, say, signal } = of
  const key = (letter: string, word: string) => `${style.bold(`[${letter}]`)} ${word}`
  const keys = [
    key('d', 'deny'),
    key('a', `approve${card.plan === undefined ? '' : ` all ${card.plan.steps.length}`}`),
    ...(card.isGrantable === true ? [key('g', 'allow for...')] : []),
    ...(card.mayGoBack === true ? [key('b', 'approve, and back after...')] : []),
    ...(card.scope === undefined ? [] : [key('s', `allow ${visible(card.scope.words)}...`)]),
    key('l', 'later'),
  ].join('   ')
  for (;;) {
    // `isFresh`: keys typed before the card was shown must not decide it.
    const said = (await prompt.line(`${keys}   `, { isFresh: true, ...(signal && { signal }) }))?.trim().toLowerCase()
    if (said === undefined || said === 'l') return undefined
    const body = await bodyFor(said, card, prompt)
    if (body === undefined) continue
    const words = body.confirmed ? 'Your password approves' : 'Your password denies'
    try {
      const done = await asOperator({ remote, prompt }, words, async (operator) => {
        const params = { id: card.toolUseId }
        const proof =
          body.confirmed && of.key !== undefined ? await sign(operator, { params, body, key: of.key }, say) : {}
        await operator.call('POST /api/confirmations/:id', { params, body: { ...body, ...proof } })
        return true
      })
      if (done === true) return body.confirmed
    } catch (error) {
      if (!(error instanceof JarvisError)) throw error
      say(visible(error.message))
      if (error.code !== 'invalid_credentials') return undefined
    }
  }
}

/** Signs the approval with an SSH key. ssh-keygen itself asks for a passphrase or a touch. */
async function sign(
  operator: Remote,
  { params, body: { grant, goesBackAfterMin }, key }: { params: { id: string }; body: Body; key: string },
  say: (line: string) => void,
) {
  const asked = await operator.call('POST /api/confirmations/:id/challenge', {
    params,
    body: { grant, goesBackAfterMin },
  })
  if (asked.sshKeys === undefined)
    throw new JarvisError('conflict', 'No SSH key signs for you. jarvis signers add FILE.pub enrols one.')
  for (const line of asked.lines) say(visible(line))
  const { challenge, statement } = asked
  return { proof: { type: 'ssh', challenge, signature: signBySsh(statement, 'decision@jarvis', key) } }
}

type Body = { confirmed: boolean; note?: string; grant?: GrantRequest; goesBackAfterMin?: number }

async function bodyFor(said: string, { scope, mayGoBack }: Card, prompt: Prompt): Promise<Body | undefined> {
  if (said === 'a') return { confirmed: true }
  if (said === 'g') {
    const minutes = await count(prompt, 'For how many minutes (nothing steps back): ', 1440)
    return minutes === undefined ? undefined : { confirmed: true, grant: { minutes } }
  }
  if (said === 'b' && mayGoBack === true) {
    const goesBackAfterMin = await count(
      prompt,
      'Back after how many minutes, unless kept (nothing steps back): ',
      1440,
    )
    return goesBackAfterMin === undefined ? undefined : { confirmed: true, goesBackAfterMin }
  }
  if (said === 's' && scope !== undefined) {
    const minutes = await count(prompt, 'For how many minutes, at most 120 (nothing steps back): ', 120)
    const uses = minutes && (await count(prompt, 'How often, at most 50 (nothing steps back): ', 50))
    return minutes === undefined || uses === undefined
      ? undefined
      : { confirmed: true, grant: { minutes, uses, scope: scope.id } }
  }
  if (said !== 'd') return undefined
  const note = (await prompt.line('Why (may be empty): ', { isFresh: true }))?.trim()
  return note === undefined ? undefined : { confirmed: false, ...(note !== '' && { note }) }
}

async function count(prompt: Prompt, words: string, most: number): Promise<number | undefined> {
  const given = Number(await prompt.line(words, { isFresh: true }))
  return Number.isInteger(given) && given > 0 && given <= most ? given : undefined
}
