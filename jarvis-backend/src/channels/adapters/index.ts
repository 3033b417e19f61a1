import type { ChannelKind } from '../channel.ts'
import { apprise } from './apprise.ts'
import { discord } from './discord.ts'
import { email } from './email.ts'
import { gotify } from './gotify.ts'
import { homeAssistant } from './home-assistant.ts'
import { ntfy } from './ntfy.ts'
import { telegram } from './telegram.ts'
import { webhook } from './webhook.ts'

/** All channels that come with JARVIS. A new channel is a file and a line here. */
export const channelKinds: readonly ChannelKind[] = [
  telegram,
  discord,
  ntfy,
  email,
  homeAssistant,
  webhook,
  gotify,
  apprise,
]
