import { createContext, use } from 'react'

/** The cluster panel beside the chat. */
export type Panel = { isOpen: boolean; isSheet: boolean; toggle: () => void; close: () => void; toggleRail: () => void }

export const PanelContext = createContext<Panel>({
  isOpen: false,
  isSheet: false,
  toggle: () => {},
  close: () => {},
  toggleRail: () => {},
})
export const usePanel = (): Panel => use(PanelContext)
