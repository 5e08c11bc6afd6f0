/** Workflows in the place of `payment` and `afterSale` that end at once in the state that they are given: thousands of them cost little. */
export async function payment(state: object): Promise<object> {
  return state;
}

export async function afterSale(state: object): Promise<object> {
  return state;
}
