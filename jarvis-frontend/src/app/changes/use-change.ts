import { readChange } from '../../api/change.ts'
import { useLoad } from '../../api/use-load.ts'

/** A change as it stands; undefined until it is loaded, and where there is none. */
export const useChange = (id: string) => useLoad(id, () => readChange(id), ['connect', 'changes']).data
