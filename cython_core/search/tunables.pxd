# What can be tuned in a search. Meaning, default and range of each are in the table of tunables.pyx, which fills this.

ctypedef struct Tunables:
    int policy
    float explore
    float explore_log
    float explore_base
    float fpu_reduction
    float prior_cut
    int widen_visits
    int statics
    int own_vcf_nodes
    int other_vcf_nodes
    int hot_visits
    int hot_vct_nodes
    int hot_searches
    float rollout_share
    float estimate_share
    int rollouts
    int rollout_plies
    int rollout_style
    int min_root_visits
    float inner_noise

# Name -> value of all tunables, with those of `changed` taken over; ValueError says which name or value is wrong.
cdef dict changed_values(dict values, dict changed)
