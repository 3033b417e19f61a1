/** Prefix of the variables of channels. Each channel's file declares its own variables. */
export const channelPrefix = 'JARVIS_CHANNEL_'

export const isChannelVariable = (name: string): boolean => name.startsWith(channelPrefix)
