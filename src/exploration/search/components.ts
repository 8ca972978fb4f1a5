/**
 * The strongly connected components of a graph (Tarjan's algorithm): for each node the number of its component. Nodes have
 * the same number if and only if each can be reached from the other.
 */
export function componentsOf(edges: readonly (readonly number[])[]): Int32Array {
  const size = edges.length;
  const order = new Int32Array(size).fill(-1);
  const lowest = new Int32Array(size);
  const component = new Int32Array(size).fill(-1);
  const open: number[] = [];
  let entered = 0;
  let count = 0;
  for (let root = 0; root < size; root++) {
    if (order[root]! >= 0) continue;
    const visits = [enter(root)];
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const { node } = visit;
      const next = edges[node]![visit.edge++];
      if (next === undefined) {
        visits.pop();
        const parent = visits.at(-1)?.node;
        if (parent !== undefined) lowest[parent] = Math.min(lowest[parent]!, lowest[node]!);
        if (lowest[node] === order[node]) close(node);
      } else if (order[next]! < 0) {
        visits.push(enter(next));
      } else if (component[next]! < 0) {
        lowest[node] = Math.min(lowest[node]!, order[next]!);
      }
    }
  }
  return component;

  function enter(node: number): { node: number; edge: number } {
    order[node] = entered;
    lowest[node] = entered;
    entered += 1;
    open.push(node);
    return { node, edge: 0 };
  }

  function close(root: number): void {
    for (let node = open.pop()!; ; node = open.pop()!) {
      component[node] = count;
      if (node === root) break;
    }
    count += 1;
  }
}
