/** `18 206`, with thin gaps. */
export const grouped = (count: number) => String(count).replace(/\B(?=(?:\d{3}){1,9}$)/g, '\u2009')
