import { addressProblem, baseOf } from '../addresses.ts'
import type { Address, Channel, ChannelKind, Delivery, Heard, Incoming, Outgoing } from '../channel.ts'
import { attempted } from '../post.ts'
import { createDiscordApi, type DiscordReply, refusalOf } from './discord-api.ts'
import { followGateway } from './discord-gateway.ts'
import { discordGroups } from './discord-groups.ts'
import { type Interaction, incomingOf, type Message, type User } from './discord-incoming.ts'
import { escaped } from './discord-markdown.ts'
import { discordTalk, mostChars, nonceOf } from './discord-talk.ts'

const publicBase = 'https://discord.com/api/v10'
/** Where Discord keeps files. */
const fileHosts = new Set(['cdn.discordapp.com', 'media.discordapp.net'])
const mostContent = 2_000
/** No pictures of links, and for what is no news no sound. */
const flags = { noEmbeds: 1 << 2, onlyForWhoTapped: 1 << 6, silent: 1 << 12 }
/** Nobody is pinged, whatever a text holds. */
const quietly = { allowed_mentions: { parse: [] } }
const styles = { deny: 2, approve: 4, look: 2, link: 5 }
const errors = { unknownInteraction: 10_062, alreadyAnswered: 40_060, unknownMessage: 10_008 }

/** A button to a page is shown where Discord takes the address; otherwise the address is a line of the text. */
const isButtonAddress = (link: string) => /^https:\/\/[^/:]+\.[a-z]{2,}(?:[/:]|$)/i.test(link)

/** The text, of escaped lines alone; lines that have no room are left out. */
export function contentOf({ title, lines, link, isOver }: Outgoing): string {
  const head = isOver ? `~~${escaped(title)}~~` : `**${escaped(title)}**`
  const tail = link !== undefined && !isOver && !isButtonAddress(link) ? `\n<${link}>` : ''
  let content = head
  for (const line of lines) {
    const more = `\n${escaped(line)}`
    if (content.length + more.length + tail.length + 2 > mostContent) {
      content += '\n…'
      break
    }
    content += more
  }
  return content + tail
}

function componentsOf({ buttons, link, isOver }: Outgoing): object[] {
  if (isOver) return []
  const deeds = buttons.map(({ label, token, does }) => ({ type: 2, style: styles[does], label, custom_id: token }))
  const canLook = buttons.some(({ does }) => does === 'look')
  const look =
    link !== undefined && !canLook && isButtonAddress(link)
      ? [{ type: 2, style: styles.link, label: 'Open', url: link }]
      : []
  return deeds.length + look.length === 0 ? [] : [{ type: 1, components: [...deeds, ...look] }]
}

/** Discord's API 10: messages by REST, taps and texts by the gateway. JARVIS calls out, nothing calls in. */
export const discord: ChannelKind = {
  id: 'discord',
  name: 'Discord',
  readers: 'JARVIS calls out, nothing calls in. Discord can read these chats.',
  capabilities: {
    decidesAtMost: 'approve',
    isIdempotent: true,
    pairs: true,
    hidesNames: false,
    looks: true,
    groups: true,
    talks: { mostChars, streams: 'edit', hasVoice: true },
  },
  settings: [
    {
      name: 'TOKEN',
      label: 'Token of the bot',
      isRequired: true,
      example: 'MTA4…',
      problem: (value) =>
        /^[\w-]{18,40}\.[\w-]{4,10}\.[\w-]{20,60}$/.test(value)
          ? undefined
          : 'must be a token as the developer portal gives it',
    },
    { name: 'URL', label: 'Server of the API', isRequired: false, example: publicBase, problem: addressProblem },
  ],
  open({ TOKEN: token = '', URL: url = publicBase }, { clock, problem }): Channel {
    const api = createDiscordApi({ base: baseOf(url), token, clock })
    let application: string | undefined
    const isEncrypted = new URL(url).protocol === 'https:'

    const post = (chat: string, body: object, signal: AbortSignal) =>
      api.call('POST', `/channels/${encodeURIComponent(chat)}/messages`, { ...quietly, ...body }, signal)

    function edit({ chat }: Address, ref: string, message: Outgoing, signal: AbortSignal): Promise<DiscordReply> {
      const body = { ...quietly, content: contentOf(message), components: componentsOf(message), flags: flags.noEmbeds }
      return api.call(
        'PATCH',
        `/channels/${encodeURIComponent(chat)}/messages/${encodeURIComponent(ref)}`,
        body,
        signal,
      )
    }
    async function deliver(message: Outgoing, { chat }: Address, signal: AbortSignal): Promise<Delivery> {
      const body = {
        content: contentOf(message),
        components: componentsOf(message),
        nonce: nonceOf(message.id),
        enforce_nonce: true,
        flags: flags.noEmbeds | (message.level === 'info' ? flags.silent : 0),
      }
      const reply = await post(chat, body, signal)
      return refusalOf(reply) ?? { kind: 'sent', ref: (reply.body as Message).id }
    }

    /** Takes a tap within Discord's 3 s, without a word. @returns whether Discord still waited for it; a tap that it gave up is told as failed there */
    async function defer({ id, token: own }: Interaction, signal: AbortSignal): Promise<boolean> {
      const path = `/interactions/${encodeURIComponent(id)}/${encodeURIComponent(own)}/callback`
      try {
        const { status, code } = await api.respond(path, { type: 6 }, signal)
        return (status >= 200 && status < 300) || code === errors.alreadyAnswered
      } catch {
        return false
      }
    }

    async function tell(
      answer: string,
      link: string | undefined,
      incoming: Incoming,
      data: unknown,
      signal: AbortSignal,
    ) {
      if (incoming.kind !== 'tap') {
        const chat = 'from' in incoming ? incoming.from?.chat : undefined
        if (chat !== undefined) await post(chat, { content: escaped(answer), flags: flags.noEmbeds }, signal)
        return
      }
      const { application_id, token: own } = data as Interaction
      const content = `${escaped(answer)}${link === undefined ? '' : `\n<${link}>`}`
      const body = { ...quietly, content, flags: flags.onlyForWhoTapped }
      await api.respond(`/webhooks/${encodeURIComponent(application_id)}/${encodeURIComponent(own)}`, body, signal)
    }

    /** A message's time is Discord's; how old it is does not depend on how our clock is set. @throws the signal's reason */
    async function byOurClock(incoming: Incoming, signal: AbortSignal): Promise<Incoming> {
      if (incoming.kind !== 'text') return incoming
      const aheadMs = await api.aheadMs(signal)
      // It is handed over again after the next start.
      signal.throwIfAborted()
      return { ...incoming, at: incoming.at + aheadMs }
    }

    /** Defers a tap at once, and takes each event in its turn. */
    function event(
      heard: Heard,
      name: string,
      data: unknown,
      cursor: string,
      signal: AbortSignal,
    ): () => Promise<void> {
      if (name === 'READY') application = (data as { application: { id: string } }).application.id
      const incoming = incomingOf(name, data, application)
      const deferred = incoming.kind === 'tap' ? defer(data as Interaction, signal) : undefined
      return async () => {
        // Discord told the person that the press failed, so the press must decide nothing. The person may press again.
        const isLost = (await deferred) === false
        const taken: Incoming = isLost ? { kind: 'other' } : await byOurClock(incoming, signal)
        const { answer, link } = await heard({ ...taken, cursor })
        if (answer === undefined || signal.aborted) return
        // An answer that comes too late fails, and that is all.
        await tell(answer, link, incoming, data, signal).catch(() => undefined)
      }
    }

    async function learnBot(signal: AbortSignal): Promise<{ problem?: string; account?: string }> {
      const reply = await api.call('GET', '/applications/@me', undefined, signal)
      const refusal = refusalOf(reply)
      if (refusal !== undefined) return { problem: refusal.why }
      const { id, bot } = reply.body as { id: string; bot?: User }
      application = id
      return bot === undefined ? {} : { account: `@${bot.username}` }
    }

    return {
      place: new URL(url).host,
      deliver: (message, to, signal) => attempted(() => deliver(message, to, signal)),
      revise: (message, to, ref, signal) =>
        attempted(async () => {
          // Its nonce finds a message that a crash left unrecorded, for some minutes; later there is a second one, which is over.
          const sent = ref === undefined ? await deliver(message, to, signal) : { kind: 'sent' as const, ref }
          if (sent.kind !== 'sent' || sent.ref === undefined) return sent
          const reply = await edit(to, sent.ref, message, signal)
          if (reply.code === errors.unknownMessage) return { kind: 'failed', why: 'its message was deleted' }
          return refusalOf(reply) ?? (ref === undefined ? sent : { kind: 'sent' })
        }),
      ...discordGroups(api),
      ...discordTalk(api, (host) => (isEncrypted ? fileHosts.has(host) : host === new URL(url).host)),
      incoming: async (heard, cursor, signal) => {
        // A session that is resumed after a restart has told its application already.
        if (cursor !== undefined) await learnBot(signal).catch(() => undefined)
        await followGateway({
          token,
          clock,
          signal,
          cursor,
          problem,
          async starts() {
            const reply = await api.call('GET', '/gateway/bot', undefined, signal)
            const refusal = refusalOf(reply)
            if (refusal !== undefined) throw new Error(refusal.why)
            const { url: place, session_start_limit: limit } = reply.body as {
              url: string
              session_start_limit: { remaining: number; reset_after: number }
            }
            return { url: place, remaining: limit.remaining, resetAfterMs: limit.reset_after }
          },
          isTrusted: (place) => URL.canParse(place) && (new URL(place).protocol === 'wss:' || !isEncrypted),
          event: (name, data, next) => event(heard, name, data, next, signal),
        })
      },
      pairingLink: () => (application === undefined ? undefined : `https://discord.com/users/${application}`),
      health: learnBot,
    }
  },
}
