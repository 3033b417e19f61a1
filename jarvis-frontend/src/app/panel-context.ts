import { createContext, use } from 'react'

/** State of the cluster panel beside the chat, and functions that open and close it. */
export type Panel = { isOpen: boolean; isSheet: boolean; toggle: () => void; close: () => void; toggleRail: () => void }

export const PanelContext = createContext<Panel>({
  isOpen: false,
  isSheet: false,
  toggle: () => {},
  close: () => {},
  toggleRail: () => {},
})
export const usePanel = (): Panel => use(PanelContext)
