import { Facts } from 'house'
import { systemClock } from 'node-kit/clock'
import { Card, type ChannelsReply, type Question } from 'protocol'
import { matterKinds } from 'protocol/channel'
import { createRedactor } from 'redaction/redact'
import { describe, expect, test } from 'vitest'
import { cardContent, endedContent } from '../src/channels/cards.ts'
import { decides, type Outgoing, type PairedChat } from '../src/channels/channel.ts'
import { isSecretSetting, settingsProblem } from '../src/channels/channel-settings.ts'
import type { Notice } from '../src/channels/channels.ts'
import { tellOfFacts } from '../src/channels/notices.ts'
import type { Content } from '../src/channels/ports.ts'
import { createSpeech, createTelling } from '../src/channels/spoken.ts'
import type { FactTypes } from '../src/house.ts'
import { channelServices, startedFor } from './fake-services/channels.ts'
import { startJarvis } from './support/start-jarvis.ts'

/** A key of this house; `argument` and `host` are what no message may have. */
const secret = 'planted-house-key-0123456789'
const argument = 'planted-argument'
const host = '10.99.88.77'
const foreign = `${argument} ${host} ${secret}`
/** A word that must leave, as proof that messages were looked at. */
const control = 'visible-word'
const { signal } = new AbortController()

test('every channel of the registry has a fake service', async () => {
  const jarvis = await startJarvis()
  const reply = (await (await jarvis.rest('/api/channels')).json()) as ChannelsReply
  expect(Object.keys(channelServices).sort()).toEqual(reply.items.map(({ id }) => id).sort())
})

/** A card with something that must not leave in every field but the names, which hold a secret. */
const full: { [K in keyof Required<Card>]: Card[K] } = {
  toolUseId: 'tu_1',
  callId: foreign,
  changed: foreign,
  toolName: `run_${secret}`,
  tier: 'red',
  toolInput: { command: foreign, [foreign]: foreign },
  sentence: foreign,
  deed: foreign,
  reason: foreign,
  reasons: [foreign],
  rule: foreign,
  now: foreign,
  then: foreign,
  affects: foreign,
  target: { kind: 'guest', id: foreign, name: secret, node: secret, vmid: 104, type: 'ct', status: foreign },
  effect: { kind: 'power', on: 'guest', action: 'restart' },
  requestedBy: { kind: 'chat', name: foreign, person: foreign },
  isAfterAnother: true,
  mayGoBack: true,
  mayHaveAlternative: true,
  isGrantable: true,
  proof: 'passkey',
  undo: { kind: 'none', sentence: foreign },
  later: { sentence: foreign, at: 1 },
  diff: [{ path: foreign, lines: [foreign] }] as unknown as NonNullable<Card['diff']>,
  basis: { [foreign]: foreign },
  plan: { title: foreign, steps: [{ sentence: foreign }] } as unknown as NonNullable<Card['plan']>,
  approvals: { needed: 2, by: [foreign], roles: ['operator'] } as unknown as NonNullable<Card['approvals']>,
  scope: { id: foreign, words: foreign },
  createdAt: 0,
  expiresAt: 60_000,
}
test('the card here has every field that a card has', () => {
  expect(Object.keys(full).sort()).toEqual(Object.keys(Card.shape).sort())
})
const { changed, reasons, proof, approvals, plan, later, isAfterAnother, ...rest } = full
/** A card that a tap may approve says more: what follows, in JARVIS's words. */
const light = { ...rest, then: `running → ${secret}`, affects: 'Nothing else found' } as Card
const heavy = full as Card

/** Notices of every kind of matter, with foreign words in every field. */
function notices(): (Notice & { mayHold: 'names' | 'nothing' })[] {
  const told: (Notice & { mayHold: 'names' | 'nothing' })[] = []
  const facts = new Facts<FactTypes>((error) => {
    throw error
  })
  const tells = facts.whileOpening('channels', () => {
    tellOfFacts(facts, {
      tell(notice) {
        // Alerts and jobs are sentences of JARVIS, which name what they are about.
        told.push({ ...notice, mayHold: ['alert', 'job'].includes(notice.kind) ? 'names' : 'nothing' })
        return []
      },
      settle() {},
      waiting() {},
    })
    return {
      notice: facts.teller('notice.due'),
      questions: facts.teller('questions.changed'),
      goingBack: facts.teller('changes.going_back'),
    }
  })
  const levels = ['info', 'warning', 'failed'] as const
  for (const [at, kind] of matterKinds.filter((one) => one !== 'card').entries())
    tells.notice({
      notice: {
        kind,
        level: levels[at % 3] ?? 'info',
        title: `It is ${secret}`,
        body: foreign,
        hidden: `Of ${secret}`,
        tag: `${kind}-${secret}`,
        path: '/alerts',
        asker: foreign,
      },
    })
  const asked = { questionId: 'q_1', requestedBy: { kind: 'chat', name: foreign, person: foreign }, expiresAt: 1 }
  tells.questions([
    { ...asked, questions: [{ question: foreign, options: [{ label: foreign }] }] } as never as Question,
  ])
  tells.goingBack([{ id: 'ch_1', goesBackAt: 1 }])
  return told
}

describe.each(Object.entries(channelServices))('%s', (id, start) => {
  test('no secret leaves from any field of a card, a notice or a conversation, and no argument or address but in JARVIS’s own sentences', async () => {
    const { settings, to, bodies, kind } = await startedFor(id, start)
    expect(settingsProblem(kind, settings)).toBeUndefined()
    const tokens = Object.entries(settings).flatMap(([name, value]) => (isSecretSetting(name) ? [value] : []))
    const redact = createRedactor([secret, ...tokens]).text
    const say = createSpeech(redact)
    const channel = kind.open(settings, { clock: systemClock, problem() {}, tapAddress: 'https://jarvis.lan/taps' })
    let made = 0
    let seen = 0
    /** Sends as the outbox does, and looks at every byte. */
    async function sent(what: string, content: Content, act: 'deliver' | 'revise' | 'withdraw', never: string[]) {
      made += 1
      const { level, title, lines, path, card, tag = `out_${made}`, isOver = false } = content
      const button = (does: 'deny' | 'approve', label = card?.[does]) =>
        label === undefined ? [] : [{ does, label, token: `j1.${'A'.repeat(22)}.${does.charAt(0)}` }]
      const message: Outgoing = {
        id: `out_${made}`,
        at: 1,
        tag: say(tag),
        level,
        path,
        isOver,
        expiresAt: Date.now() + 60_000,
        title: say(`${control} ${title}`),
        lines: lines.map((line) => say(line)),
        buttons: isOver ? [] : [...button('deny'), ...button('approve')],
        link: `https://jarvis.lan${path}`,
      }
      const delivery =
        act === 'deliver'
          ? await channel.deliver(message, to, signal)
          : await channel[act]?.(message, { to, ref: '1' }, signal)
      if (act === 'deliver') expect([what, delivery]).toEqual([what, expect.objectContaining({ kind: 'sent' })])
      const now = bodies()
      const bytes = now.slice(seen).join('\n')
      seen = now.length
      if (act === 'deliver') expect([what, bytes]).toEqual([what, expect.stringContaining(control)])
      for (const one of [secret, ...never]) expect([what, act, bytes.includes(one) ? one : '']).toEqual([what, act, ''])
      // A topic is where the message goes.
      for (const token of tokens.filter((one) => one !== settings.TOPIC)) expect(bytes).not.toContain(token)
    }
    const acts = [
      'deliver',
      ...(channel.revise ? (['revise'] as const) : []),
      ...(channel.withdraw ? ['withdraw'] : []),
    ]
    for (const card of [light, heavy])
      for (const may of decides)
        for (const hidesNames of [false, true]) {
          const what = `a ${card === light ? 'light' : 'heavy'} card, ${may}, ${hidesNames ? 'hidden' : 'named'}`
          const content = cardContent({ card, bindingHash: 'hash' }, { decides: may, hidesNames }, say)
          await sent(what, content, 'deliver', [argument, host])
          const ending = { decision: 'denied', by: secret, via: secret, at: 0 } as const
          for (const act of acts.slice(1))
            await sent(what, endedContent(content, { ...ending, hidesNames }, say), act as 'revise', [argument, host])
        }
    for (const { kind: matter, level, title, body, hidden, tag, path, mayHold } of notices())
      for (const words of [body, `${hidden} ${tokens.join(' ')}`]) {
        const content: Content = { kind: 'notice', level, title: say(title), lines: [say(words)], path, tag }
        const never = words === body && mayHold === 'names' ? [] : [argument, host]
        await sent(`${level} ${matter}`, content, 'deliver', never)
      }
    if (channel.say === undefined) return
    const tell = createTelling(redact)
    const text = tell(`It is **${secret}**, \`${tokens[0]}\`, [${secret}](https://x.lan/${secret}).`)
    const choices = [{ label: tell(secret), token: `c1.${'A'.repeat(22)}` }]
    await channel.say({ id: 'out_talk', text, choices }, to as PairedChat, signal)
    for (const one of [secret, ...tokens]) expect(bodies().at(-1)).not.toContain(one)
    expect(bodies().at(-1)).toContain('redacted')
  })
})
