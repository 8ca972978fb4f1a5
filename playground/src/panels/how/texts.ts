/** How one election works, in a few rules that can be watched as they are used. */
export interface Text {
  readonly idea: string;
  readonly rules: readonly { readonly id: string; readonly says: string }[];
  readonly gives: string;
  readonly lacks: string;
  /** Where the whole story is told. */
  readonly file: string;
}

export const TEXTS: Readonly<Record<string, Text>> = {
  epoch: {
    idea: 'Random waits, one vote per epoch, and a majority leads.',
    rules: [
      { id: 'start', says: 'Whoever does not lead waits for a random time.' },
      {
        id: 'ask',
        says: 'When the time is up, it raises its epoch by one, votes for itself and asks all others.',
      },
      {
        id: 'vote',
        says: 'Whoever is asked and has not voted in this epoch gives its vote, and writes that down first.',
      },
      { id: 'count', says: 'Votes are counted. With those of a majority, a member leads.' },
      { id: 'keep', says: 'A leader sends everybody a keep-alive each second.' },
      {
        id: 'heed',
        says: 'Whoever hears a keep-alive takes the sender for its leader and begins its wait anew.',
      },
      {
        id: 'newer',
        says: 'A message of a newer epoch: a member takes that epoch over and gives up whatever it was.',
      },
      {
        id: 'silent',
        says: 'What is of an older epoch, or asks for a vote that is given already, gets no answer at all.',
      },
    ],
    gives:
      'One winner per epoch, as long as disks are kept: each member votes once, and two majorities share a member.',
    lacks:
      'One leader at a time. Nobody tells an old leader that it was replaced: one broken link is enough for two. A member that was away returns with a newer epoch and deposes a healthy leader.',
    file: 'src/protocols/epoch.ts',
  },
  bully: {
    idea: 'The highest id that lives leads, and takes the lead from whoever has it.',
    rules: [
      { id: 'start', says: 'Whoever starts, or comes back, calls an election.' },
      {
        id: 'ask',
        says: 'To call one, it asks all with a higher id, and waits for as long as an answer may take.',
      },
      {
        id: 'ok',
        says: 'Whoever is asked by a lower id says ok and takes over: it calls an election itself, or says that it leads.',
      },
      { id: 'await', says: 'Whoever gets an ok waits for an announcement. If none comes, it begins again.' },
      { id: 'win', says: 'Nobody higher answers: it leads, and tells everybody.' },
      { id: 'follow', says: 'An announcement by a higher id is accepted.' },
      { id: 'check', says: 'Followers ask the leader now and then whether it lives; it answers.' },
      {
        id: 'miss',
        says: 'No answer, even when asked again: the leader counts as gone, and an election begins.',
      },
      { id: 'bully', says: 'A leader with a lower id is not accepted: it is told otherwise.' },
    ],
    gives:
      'Once everything is calm, the highest id that lives leads, and all agree. With the option quorum also one leader per epoch, backed by a majority.',
    lacks:
      'One leader at a time: each side of a split has its own. A slow leader is taken for a dead one, and one that keeps coming back takes over each time.',
    file: 'src/protocols/bully/index.ts',
  },
  'chang-roberts': {
    idea: 'Ids travel round a ring, larger ones swallow smaller ones, and whoever meets its own id leads.',
    rules: [
      {
        id: 'start',
        says: 'Whoever starts, or has not heard of a leader for a while, takes part: it sends its id to the next in the ring.',
      },
      {
        id: 'join',
        says: 'Whoever takes no part yet joins, forgets the leader it had, and hands on the larger of the two ids.',
      },
      { id: 'larger', says: 'A larger id than one’s own is handed on.' },
      { id: 'swallow', says: 'A smaller one is swallowed: it goes no further.' },
      {
        id: 'win',
        says: 'One’s own id has come all the way round: nobody has a larger one. That member leads.',
      },
      { id: 'elected', says: 'The news goes round; everybody notes the leader and takes part no longer.' },
      { id: 'heartbeat', says: 'A leader tells all that it is there. Of two leaders, the larger id stays.' },
      {
        id: 'skip',
        says: 'Every message is acknowledged. A neighbour that stays silent is asked again, then skipped.',
      },
    ],
    gives: 'In calm weather the same leader whoever begins: the largest id.',
    lacks:
      'One leader at a time, and a quiet one: whoever calls an election leaves the whole ring without a leader for two rounds.',
    file: 'src/protocols/chang-roberts/index.ts',
  },
  ring: {
    idea: 'The duty to look after the leader travels round a ring; if the leader is gone, a list of the living goes round.',
    rules: [
      {
        id: 'start',
        says: 'On the first day the lowest id leads, and the member after it has the duty. Who was away waits to be told.',
      },
      { id: 'check', says: 'Whoever has the duty asks the leader whether it lives.' },
      { id: 'alive', says: 'The leader answers, and the duty is kept for a while.' },
      { id: 'pass', says: 'Then the duty goes to the next in the ring.' },
      {
        id: 'gone',
        says: 'No answer, even when asked again: an election message with one’s own id goes to the next.',
      },
      { id: 'collect', says: 'Everybody adds its id to the list and hands it on.' },
      {
        id: 'pick',
        says: 'The list has come round, or the election was decided already: the leader’s name goes round.',
      },
      {
        id: 'told',
        says: 'Everybody notes the new leader and tells the next. Once all know, the duty starts again.',
      },
      {
        id: 'skip',
        says: 'Every message is acknowledged. A neighbour that stays silent is asked again, then skipped.',
      },
      { id: 'lost', says: 'A duty that has not come by for too long is made anew.' },
    ],
    gives: 'While messages arrive in time and nobody dies, all come to name the same leader.',
    lacks:
      'One leader at a time: a leader that was cut off goes on until the ring tells it. A crash is found only when the duty comes round.',
    file: 'src/protocols/ring/index.ts',
  },
  draw: {
    idea: 'A lottery: everybody draws a number, the highest wins, and it counts once all agree.',
    rules: [
      { id: 'register', says: 'Whoever starts registers with the others, and learns whom they know.' },
      {
        id: 'call',
        says: 'Anybody may call an election. It has a number, and a voter takes part in each number once.',
      },
      { id: 'draw', says: 'Everybody draws a random number and sends it to all.' },
      {
        id: 'result',
        says: 'When all numbers are there, the highest has won; everybody tells the others who that is.',
      },
      {
        id: 'certify',
        says: 'If all results agree, each voter certifies it to the winner. An old leader stops here.',
      },
      { id: 'lead', says: 'With all certificates, the winner leads and says so.' },
      {
        id: 'heartbeat',
        says: 'All tell all now and then whom they follow and whom they know; news of a later election counts.',
      },
      {
        id: 'health',
        says: 'Whoever misses the leader asks the others. If nobody hears it, it is forgotten, and there is an election.',
      },
      { id: 'again', says: 'What is missing in an election is asked for again, and then a new one is held.' },
      {
        id: 'lists',
        says: 'Where lists of voters differ, they are compared; who does not answer is removed.',
      },
    ],
    gives:
      'Once everybody hears everybody, all follow one leader. With the option quorum also one leader per election, certified by a majority.',
    lacks:
      'One leader at a time: each part of a split holds its own lottery. One silent voter holds up every election.',
    file: 'src/protocols/draw/index.ts',
  },
  quorum: {
    idea: 'Votes of a majority make a leader, and a lease makes it the only one. This is the one for real work.',
    rules: [
      {
        id: 'disk',
        says: 'A member is a name and a disk. On an empty disk its vote counts by name only, and then one more than a majority is needed, until the leader has given the new disk its seat. A member that starts again tells all others, so that a copy of its disk is recognised.',
      },
      {
        id: 'pre-vote',
        says: 'After a silence, a member asks whether the others would vote for it. That disturbs nobody.',
      },
      { id: 'would', says: 'Whoever still hears a leader says no, and names it; the others say yes.' },
      {
        id: 'ask',
        says: 'If a majority would, it asks for their votes in the next term.',
      },
      {
        id: 'vote',
        says: 'One vote per term, written down before it is sent. Who votes promises to help nobody else for a while.',
      },
      {
        id: 'win',
        says: 'With the votes of a majority it writes down the new term and its own vote, and leads.',
      },
      { id: 'round', says: 'A leader asks for support in numbered rounds.' },
      { id: 'promise', says: 'Whoever answers a round promises to help nobody else for a while.' },
      {
        id: 'lease',
        says: 'On the answers of a majority it may act, for a little less than they promised, counted from when it asked. Then the lease ends by itself.',
      },
      {
        id: 'register',
        says: 'Who the members are, and a published value, stand in a register: the leader sends a new version, and it counts once a majority has written it down.',
      },
      {
        id: 'term',
        says: 'Whatever is of an older term is answered with the newer one, so that nobody leads on by not hearing.',
      },
    ],
    gives:
      'At no moment may two members act, whatever the network does, as long as clocks differ by at most 1 %; one winner per term, and terms that only grow, as a token to fence with.',
    lacks: 'A leader while no majority can be reached. Two members are no safer than one.',
    file: 'src/protocols/quorum/index.ts',
  },
};
