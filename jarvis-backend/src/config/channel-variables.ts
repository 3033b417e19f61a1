/** What the variables of channels begin with; each channel's file says which there are. */
export const channelPrefix = 'JARVIS_CHANNEL_'

export const isChannelVariable = (name: string): boolean => name.startsWith(channelPrefix)
