import { channelKinds } from '../../src/channels/adapters/index.ts'
import { webPush } from '../../src/channels/adapters/web-push.ts'
import type { Address, ChannelKind, Settings } from '../../src/channels/channel.ts'
import { makeVapidKeys, WebPushSender } from '../../src/channels/web-push/sender.ts'
import { startApprise } from './apprise.ts'
import { startDiscord } from './discord.ts'
import { startMailServer } from './email.ts'
import { startGotify } from './gotify.ts'
import { startHomeAssistant } from './home-assistant.ts'
import { startNtfy } from './ntfy.ts'
import { startService } from './service.ts'
import { startTelegram } from './telegram.ts'
import { startPushService } from './web-push.ts'
import { startWebhook } from './webhook.ts'

/** A fake service, and the settings with which its channel reaches it. */
type Started = {
  settings: Settings
  /** The recipient. Default: the one address of the settings. */
  to?: Address
  /** The messages that the service received, as text. */
  bodies(): string[]
  /** The channel, if it is not one of `channelKinds`. */
  kind?: ChannelKind
}
/** `shown`: the messages that a person sees at the service. */
type StartedPlain = Started & { service: Awaited<ReturnType<typeof startService>>; shown(): unknown[] }

export const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const bodiesOf = (service: { taken: { body: string }[] }) => () => service.taken.map(({ body }) => body)

/** The fake services of the channels that send one request for a message, by the channel's id. The contract in `channel-adapters.test.ts` runs on each. */
export const plainServices: Record<string, () => Promise<StartedPlain>> = {
  async ntfy() {
    const service = await startNtfy()
    const settings = { URL: service.url, TOPIC: 'jarvis-topic-0123456789', TOKEN: service.token }
    return { service, settings, bodies: bodiesOf(service), shown: service.shown }
  },
  async homeassistant() {
    const service = await startHomeAssistant()
    const settings = { URL: service.url, TOKEN: service.token, SERVICE: service.service }
    return { service, settings, bodies: bodiesOf(service), shown: service.shown }
  },
  async webhook() {
    const service = await startWebhook(webhookSecret)
    const settings = { HOOK_URL: `${service.url}/hook?key=planted-hook-key`, SECRET: webhookSecret }
    const shown = () => [...service.events.values()].map(({ data }) => data)
    return { service, settings, bodies: bodiesOf(service), shown }
  },
  async gotify() {
    const service = await startGotify()
    const settings = { URL: `${service.url}/`, TOKEN: service.token }
    return { service, settings, bodies: bodiesOf(service), shown: () => service.messages }
  },
  async apprise() {
    const service = await startApprise()
    const settings = { URL: service.url, KEY: service.key }
    return { service, settings, bodies: bodiesOf(service), shown: () => service.messages }
  },
  async webpush() {
    const service = await startPushService()
    const sender = new WebPushSender({
      keys: makeVapidKeys(),
      subject: 'mailto:mira@example.org',
      isAllowed: () => true,
      ca: service.ca,
    })
    const kind = webPush({
      sender: () => sender,
      subscription: (id) => (id === 'psh_1' ? { id, ...service.browser.to } : undefined),
      sign: () => undefined,
      sent() {},
    })
    const bodies = () => service.taken.map(({ bytes }) => JSON.stringify(service.browser.open(bytes)))
    return { kind, service, settings: {}, to: { user: 'psh_1', chat: '' }, bodies, shown: service.shown }
  },
}

/** The fake services of all channels, by the channel's id. */
export const channelServices: Record<string, () => Promise<Started>> = {
  ...plainServices,
  async telegram() {
    const service = await startTelegram()
    service.start(88120411)
    const to = { user: '88120411', chat: '88120411' }
    return { settings: { TOKEN: service.token, URL: service.url }, to, bodies: bodiesOf(service) }
  },
  async discord() {
    const service = await startDiscord()
    const user = '88120411000000001'
    service.write(user, 'Hello')
    const to = { user, chat: service.channelOf(user) }
    return { settings: { TOKEN: service.token, URL: service.api }, to, bodies: bodiesOf(service) }
  },
  async email() {
    const { url, mails } = await startMailServer()
    const settings = { URL: url, FROM: 'jarvis@home.lan', TO: 'mira@home.lan' }
    // Mail breaks long lines within words.
    return { settings, bodies: () => mails.map((mail) => mail.replace(/=\r?\n/g, '')) }
  },
}

/** Starts a service that takes every request. @param setting the setting that gets its address */
export async function startPlain(setting: string): Promise<Started> {
  const service = await startService(() => ({}))
  return { settings: { [setting]: service.url }, bodies: bodiesOf(service) }
}

/** Starts a fake service and finds its channel. @throws Error if there is no such channel */
export async function startedFor<Service extends Started>(
  id: string,
  start: () => Promise<Service>,
  kinds: readonly ChannelKind[] = channelKinds,
) {
  const started = await start()
  const kind = started.kind ?? kinds.find((one) => one.id === id)
  if (kind === undefined) throw new Error(`There is no channel ${id}.`)
  return { to: { user: '', chat: '' }, ...started, kind }
}
