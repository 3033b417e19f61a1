import type { ChannelInfo } from 'protocol'
import { Visible } from '../../../ui/boxed.tsx'
import { Mark } from '../../../ui/mark.tsx'
import { atMostOf, lineOf, markOf, mayNow } from './words.ts'

/** All channels, one row each. The settings of the open channel are below its row. */
export function ChannelList({
  channels,
  open,
  onOpen,
  children,
}: {
  channels: readonly ChannelInfo[]
  open: string | undefined
  onOpen: (id: string | undefined) => void
  children: React.ReactNode
}) {
  return (
    <ul className="channels" aria-label="Channels">
      {channels.map((channel) => (
        <li key={channel.id}>
          <button
            type="button"
            className="channel-row"
            aria-expanded={channel.id === open}
            onClick={() => onOpen(channel.id === open ? undefined : channel.id)}
          >
            <Mark kind={markOf(channel)} label={channel.state === 'on' ? 'on:' : 'off:'} />
            <span className="channel-name">
              <b>{channel.name}</b>
              <small>
                <Visible text={lineOf(channel)} />
              </small>
            </span>
            <span>{channel.state === 'off' ? 'Set up…' : mayNow(channel)}</span>
            <span className="text-soft">{atMostOf(channel)}</span>
          </button>
          {channel.id === open && <div className="channel-open">{children}</div>}
        </li>
      ))}
    </ul>
  )
}
