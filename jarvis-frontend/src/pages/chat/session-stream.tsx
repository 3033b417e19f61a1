import type { ComponentProps } from 'react'
import { SlotsContext } from '../../features/chat/slots.ts'
import { Stream } from '../../features/chat/stream.tsx'
import { chatSlots } from './chat-slots.tsx'
import { useCardInAddress } from './use-card-in-address.ts'

/** A session's messages, with components of other features inside. */
export function SessionStream(given: ComponentProps<typeof Stream>) {
  useCardInAddress(given.state.view)
  return (
    <SlotsContext value={chatSlots}>
      <Stream {...given} />
    </SlotsContext>
  )
}
