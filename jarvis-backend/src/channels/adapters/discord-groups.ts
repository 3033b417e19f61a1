import type { Group } from '../channel.ts'
import { type DiscordApi, refusalOf } from './discord-api.ts'

/** The most servers and channels that are listed. */
const mostServers = 5
const mostChannels = 50
/** The types of channels for text and for announcements. */
const textTypes = new Set([0, 5])

type Server = { id: string; name: string }
type ServerChannel = { id: string; type: number; name?: string; guild_id?: string }

const named = ({ id, name = '' }: ServerChannel, server: Server): Group => ({ id, name: `#${name} of ${server.name}` })

/** The channels of servers that the bot is in. They are found by requests, because JARVIS receives nothing that is written in them. */
export class DiscordGroups {
  readonly #api: DiscordApi

  constructor(api: DiscordApi) {
    this.#api = api
  }

  /** The text and announcement channels of the servers that the bot is in. @throws Error with a message for people */
  async list(signal: AbortSignal): Promise<Group[]> {
    const servers = await this.#read<Server[]>('/users/@me/guilds', signal)
    const found: Group[] = []
    for (const server of servers.slice(0, mostServers)) {
      const channels = await this.#read<ServerChannel[]>(`/guilds/${encodeURIComponent(server.id)}/channels`, signal)
      found.push(...channels.filter(({ type }) => textTypes.has(type)).map((one) => named(one, server)))
    }
    return found.slice(0, mostChannels)
  }

  /** Finds one channel by its id. @throws Error with a message for people */
  async find(id: string, signal: AbortSignal): Promise<Group> {
    if (!/^\d{15,22}$/.test(id)) throw new Error('the id of a channel is a number of 17 to 20 digits')
    const channel = await this.#read<ServerChannel>(`/channels/${id}`, signal)
    if (!textTypes.has(channel.type) || channel.guild_id === undefined)
      throw new Error('that is no text channel of a server')
    const server = await this.#read<Server>(`/guilds/${encodeURIComponent(channel.guild_id)}`, signal)
    return named(channel, server)
  }

  /** Reads a path of Discord's API. @throws Error with a message for people */
  async #read<T>(path: string, signal: AbortSignal): Promise<T> {
    const reply = await this.#api.call({ method: 'GET', path }, signal)
    const refusal = refusalOf(reply)
    if (refusal !== undefined) throw new Error(refusal.why)
    return reply.body as T
  }
}
