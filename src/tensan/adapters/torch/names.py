"""Translates ATen's names to the neutral names of `core/operations.py`."""

from __future__ import annotations

_BY_NEUTRAL = {
    "view": "view _unsafe_view reshape flatten unflatten _reshape_alias as_strided",
    "squeeze": "squeeze",
    "unsqueeze": "unsqueeze",
    "transpose": "transpose permute t movedim mT numpy_T",
    "copy": "clone contiguous copy lift",
    "alias": "alias",
    "slice": "slice select narrow split split_with_sizes chunk unbind",
    "expand": "expand repeat",
    "add": "add",
    "sub": "sub rsub",
    "mul": "mul",
    "div": "div true_divide",
    "pow": "pow float_power",
    "maximum": "maximum fmax",
    "minimum": "minimum fmin",
    "where": "where",
    "abs": "abs",
    "neg": "neg",
    "square": "square",
    "sqrt": "sqrt",
    "exp": "exp expm1",
    "log": "log log2 log10",
    "log1p": "log1p",
    "clamp": "clamp clamp_min clamp_max hardtanh",
    "sigmoid": "sigmoid",
    "tanh": "tanh",
    "relu": "relu threshold leaky_relu elu gelu silu mish hardswish",
    "rsqrt": "rsqrt",
    "reciprocal": "reciprocal",
    "softplus": "softplus log_sigmoid_forward",
    "sign": "sign sgn",
    "round": "round floor ceil trunc",
    "sum": "sum nansum",
    "mean": "mean nanmean",
    "norm": "norm linalg_vector_norm _euclidean_dist cdist _cdist_forward dist",
    "max": "max amax",
    "min": "min amin",
    "std": "std std_mean",
    "var": "var var_mean",
    "logsumexp": "logsumexp",
    "mse_loss": "mse_loss",
    "l1_loss": "l1_loss",
    "smooth_l1_loss": "smooth_l1_loss",
    "huber_loss": "huber_loss",
    "nll_loss": "nll_loss_forward nll_loss2d_forward nll_loss nll_loss2d",
    "binary_cross_entropy": "binary_cross_entropy",
    "binary_cross_entropy_with_logits": "binary_cross_entropy_with_logits",
    "soft_margin_loss": "soft_margin_loss multilabel_margin_loss_forward",
    "kl_div": "kl_div",
    "ctc_loss": "_ctc_loss _cudnn_ctc_loss",
    "poisson_nll_loss": "poisson_nll_loss",
    "softmax": "_softmax softmax _safe_softmax",
    "log_softmax": "_log_softmax log_softmax",
    "dropout": "native_dropout bernoulli dropout",
    "matmul": "mm addmm bmm baddbmm matmul linear addmv mv dot einsum",
    "convolution": "convolution _convolution convolution_overrideable mkldnn_convolution",
    "embedding": "embedding _embedding_bag embedding_bag",
    "batch_norm": "native_batch_norm _native_batch_norm_legit _native_batch_norm_legit_functional cudnn_batch_norm _batch_norm_with_update "
    "_batch_norm_no_update _native_batch_norm_legit_no_training",
    "layer_norm": "native_layer_norm",
    "group_norm": "native_group_norm",
    "recurrent": "mkldnn_rnn_layer lstm gru _thnn_fused_lstm_cell _thnn_fused_gru_cell _cudnn_rnn",
    "attention": "_scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_flash_attention _scaled_dot_product_efficient_attention "
    "_scaled_dot_product_cudnn_attention _scaled_dot_product_attention_math scaled_dot_product_attention",
    "detach": "detach",
    "argmax": "argmax argmin topk argsort sort",
    "compare": "eq ne lt le gt ge logical_and logical_or logical_not isclose equal isfinite isnan",
    "item": "_local_scalar_dense",
    "new": "lift_fresh zeros ones full empty rand randn randint arange zeros_like ones_like full_like empty_like rand_like randn_like "
    "scalar_tensor new_zeros new_ones new_full new_empty eye linspace randperm tril_indices triu_indices empty_strided new_empty_strided",
    "gather": "gather index index_select take take_along_dim",
    "concatenate": "cat stack",
    "masked_fill": "masked_fill",
    "one_hot": "one_hot scatter",
    "pool": "max_pool2d_with_indices avg_pool2d adaptive_avg_pool2d _adaptive_avg_pool2d max_pool1d avg_pool1d max_pool2d mean_dim",
}
_NEUTRAL = {aten: neutral for neutral, several in _BY_NEUTRAL.items() for aten in several.split()}

#: Draw from a generator, so that running them again gives something else.
RANDOM = frozenset(
    {"native_dropout", "bernoulli", "rand", "randn", "randint", "rand_like", "randn_like", "normal", "uniform", "randperm", "multinomial"}
)


def neutral(aten: str) -> str:
    """Returns the neutral name of an ATen operation, its own where there is none.

    Args:
        aten: schema name such as `aten::add_`; the trailing underscore of an in-place form is dropped.
    """
    base = aten.rpartition("::")[2]
    return _NEUTRAL.get(base) or _NEUTRAL.get(base.rstrip("_"), base)


_NEUTRAL["_to_copy"] = "cast"
