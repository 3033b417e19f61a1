import type { ChannelKind } from '../channel.ts'
import { ntfy } from './ntfy.ts'

/** Every channel there is. A new one is a file, and a line here. */
export const channelKinds: readonly ChannelKind[] = [ntfy]
