import type { Body } from 'protocol/client'
import { call } from './http.ts'

export const readChannels = () => call('GET /api/channels')
/** Saves settings of a channel. Null removes a setting; settings that are not named stay. */
export const saveChannel = (channel: string, settings: Record<string, string | null>) =>
  call('PUT /api/channels/:channel', { params: { channel }, body: { settings } })
export const forgetChannel = (channel: string) => call('DELETE /api/channels/:channel', { params: { channel } })
export const checkChannel = (channel: string) => call('POST /api/channels/:channel/check', { params: { channel } })
export const testChannel = (channel: string, recipient?: string) =>
  call('POST /api/channels/:channel/test', { params: { channel }, body: { recipient } })
export const beginPairing = (channel: string) => call('POST /api/channels/:channel/pairings', { params: { channel } })
export const readPairings = () => call('GET /api/channel-pairings')
export const confirmPairing = (id: string, user: string) =>
  call('POST /api/channel-pairings/:id/confirm', { params: { id }, body: { user } })
export const endPairing = (id: string) => call('DELETE /api/channel-pairings/:id', { params: { id } })
export const readGroups = (channel: string) => call('GET /api/channels/:channel/groups', { params: { channel } })
export const tellGroup = (channel: string, group: string) =>
  call('POST /api/channels/:channel/groups', { params: { channel }, body: { group } })
export const changeRecipient = (id: string, body: Body<'PATCH /api/channel-recipients/:id'>) =>
  call('PATCH /api/channel-recipients/:id', { params: { id }, body })
export const removeRecipient = (id: string) => call('DELETE /api/channel-recipients/:id', { params: { id } })
export const readDeliveries = () => call('GET /api/channel-deliveries', { query: { limit: 30 } })
export const sendAgain = (id: string) => call('POST /api/channel-deliveries/:id/again', { params: { id } })
export const readRules = () => call('GET /api/channel-rules')
export const saveRules = (rules: Body<'PUT /api/channel-rules'>) => call('PUT /api/channel-rules', { body: rules })
