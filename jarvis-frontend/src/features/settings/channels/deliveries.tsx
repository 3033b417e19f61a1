import type { ChannelDelivery, ChannelInfo, ChannelsReply } from 'protocol'
import { plural, timeOfDay } from '../../../lib/format.ts'
import { Visible } from '../../../ui/boxed.tsx'
import { Mark } from '../../../ui/mark.tsx'
import { deliveryMark, endOf } from './words.ts'

/** The messages of the channels and the state of each. */
export function Deliveries({
  items,
  channels,
  today: { sent, failed },
  isResting,
  onAgain,
}: {
  items: readonly ChannelDelivery[]
  channels: readonly ChannelInfo[]
  today: ChannelsReply['today']
  isResting: boolean
  onAgain: (id: string) => void
}) {
  return (
    <>
      <h3>
        Delivery <small>{`today ${plural(sent, 'message')}, ${failed} failed`}</small>
      </h3>
      {items.length === 0 ? (
        <p>Nothing was sent yet.</p>
      ) : (
        <ul className="deliveries" aria-label="Delivery">
          {items.map((one) => (
            <li key={one.id}>
              <Mark kind={deliveryMark(one)} label={one.state} />
              <time className="num" dateTime={new Date(one.at).toISOString()}>
                {timeOfDay(one.at)}
              </time>
              <span className="text-soft">{channels.find(({ id }) => id === one.channel)?.name ?? one.channel}</span>
              <span className="cut">
                <Visible text={one.title} />
              </span>
              <span className="text-soft delivery-end">
                <Visible text={endOf(one)} />
              </span>
              {one.act === 'deliver' && one.kind !== 'card' && (one.state === 'failed' || one.state === 'dropped') && (
                <button
                  type="button"
                  className="button small quiet"
                  disabled={isResting}
                  onClick={() => onAgain(one.id)}
                >
                  Send again
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
