/** `18 206`, with thin gaps. */
export const grouped = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, '\u2009')
