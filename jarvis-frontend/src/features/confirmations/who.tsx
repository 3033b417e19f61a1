import { useNameOf } from '../../api/names.ts'
import { Visible } from '../../ui/boxed.tsx'

/** A person's name, or the id if the name is not known. */
export const Who = ({ id }: { id: string }) => <Visible text={useNameOf()(id)} />
