/** A number with thin spaces between thousands: `18 206`. */
export const grouped = (count: number) => String(count).replace(/\B(?=(?:\d{3}){1,9}$)/g, '\u2009')
