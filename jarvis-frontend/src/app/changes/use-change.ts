import { readChange } from '../../api/change.ts'
import { useLoad } from '../../api/use-load.ts'

/** The present state of a change; undefined until it is loaded, or if the change does not exist. */
export const useChange = (id: string) => useLoad(`change ${id}`, () => readChange(id), ['connect', 'changes']).data
