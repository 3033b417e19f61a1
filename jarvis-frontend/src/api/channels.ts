import type {
  ChannelDelivery,
  ChannelGroups,
  ChannelInfo,
  ChannelPairing,
  ChannelPairingBegun,
  ChannelRecipient,
  ChannelRecipientBody,
  ChannelRules,
  ChannelsReply,
} from 'protocol'
import { call } from './http.ts'

const at = (path: string, id: string) => `/api/${path}/${encodeURIComponent(id)}`

export const readChannels = () => call<ChannelsReply>('GET', '/api/channels')
/** Saves settings of a channel. Null removes a setting; settings that are not named stay. */
export const saveChannel = (id: string, settings: Record<string, string | null>) =>
  call<ChannelInfo>('PUT', at('channels', id), { settings })
export const forgetChannel = (id: string) => call('DELETE', at('channels', id))
export const checkChannel = (id: string) => call<ChannelInfo>('POST', `${at('channels', id)}/check`)
export const testChannel = (id: string, recipient?: string) =>
  call<ChannelDelivery>('POST', `${at('channels', id)}/test`, recipient === undefined ? {} : { recipient })
export const beginPairing = (id: string) => call<ChannelPairingBegun>('POST', `${at('channels', id)}/pairings`)
export const readPairings = () => call<{ items: ChannelPairing[] }>('GET', '/api/channel-pairings')
export const confirmPairing = (id: string, user: string) =>
  call<ChannelRecipient>('POST', `${at('channel-pairings', id)}/confirm`, { user })
export const endPairing = (id: string) => call('DELETE', at('channel-pairings', id))
export const readGroups = (id: string) => call<ChannelGroups>('GET', `${at('channels', id)}/groups`)
export const tellGroup = (id: string, group: string) =>
  call<ChannelRecipient>('POST', `${at('channels', id)}/groups`, { group })
export const changeRecipient = (id: string, body: ChannelRecipientBody) =>
  call<ChannelRecipient>('PATCH', at('channel-recipients', id), body)
export const removeRecipient = (id: string) => call('DELETE', at('channel-recipients', id))
export const readDeliveries = () => call<{ items: ChannelDelivery[] }>('GET', '/api/channel-deliveries?limit=30')
export const sendAgain = (id: string) => call<ChannelDelivery>('POST', `${at('channel-deliveries', id)}/again`)
export const readRules = () => call<ChannelRules>('GET', '/api/channel-rules')
export const saveRules = (rules: ChannelRules) => call<ChannelRules>('PUT', '/api/channel-rules', rules)
