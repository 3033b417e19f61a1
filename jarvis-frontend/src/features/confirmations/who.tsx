import { useNameOf } from '../../api/names.ts'
import { Visible } from '../../ui/boxed.tsx'

/** A person by name; the id of somebody whose name is not known. */
export const Who = ({ id }: { id: string }) => <Visible text={useNameOf()(id)} />
