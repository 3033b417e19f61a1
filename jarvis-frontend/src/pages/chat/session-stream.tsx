import { type ComponentProps, useRef } from 'react'
import { later } from '../../app/later.tsx'
import { SlotsContext } from '../../features/chat/slots.ts'
import { Stream } from '../../features/chat/stream.tsx'
import { chatSlots } from './chat-slots.tsx'
import { useCardInAddress } from './use-card-in-address.ts'

/** Renders nothing, once the part that draws cards is loaded. */
const CardPart = later(() => import('./chat-card.tsx').then(() => () => null))

/** A session's messages, with components of other features inside. */
export function SessionStream(given: ComponentProps<typeof Stream>) {
  const { view } = given.state
  useCardInAddress(view)
  const beganWithCard = useRef<boolean>(undefined)
  if (view !== undefined) beganWithCard.current ??= view.pending.length > 0
  return (
    <SlotsContext value={chatSlots}>
      {/* A card that comes later than the words around it would move them. */}
      {beganWithCard.current === true && <CardPart />}
      <Stream {...given} />
    </SlotsContext>
  )
}
