# A roofline with its data. Draw it again: gnuplot roofline_reduce_sum.gp
if (!exists("svg")) svg = "roofline_reduce_sum.svg"
if (!exists("png")) png = "roofline_reduce_sum.png"
set encoding utf8
$points << EOD
0.264499 1.46469e+10
0.265273 1.43306e+11
0.265467 5.05167e+11
0.265499 6.84002e+11
0.265532 6.55815e+11
0.545182 1.50615e+10
0.546778 1.56285e+11
0.547178 7.41151e+11
0.547245 1.1734e+12
0.547312 1.09194e+12
0.579053 1.49986e+10
0.580748 1.55881e+11
0.581173 7.47403e+11
0.581244 1.17706e+12
0.581315 1.08436e+12
0.581244 1.55115e+11
0.581031 6.85991e+11
0.581314 4.01159e+11
0.280931 1.38533e+10
0.281753 1.60746e+11
0.28196 6.05421e+11
0.281994 7.21652e+11
0.282029 6.54224e+11
0.615028 1.61621e+10
0.616828 1.97268e+11
0.617279 1.02851e+12
0.617355 1.33173e+12
0.61743 1.20832e+12
0.653238 1.68719e+10
0.65515 1.95273e+11
0.655629 9.62317e+11
0.655709 1.35611e+12
0.655789 1.13118e+12
0.655709 9.45625e+11
0.655469 1.35483e+12
0.655789 9.83709e+11
0.298385 1.16615e+10
0.299258 1.05052e+11
0.299477 4.2047e+11
0.299514 6.58254e+11
0.29955 6.43179e+11
0.693821 1.27513e+10
0.695852 1.40206e+11
0.696362 7.30595e+11
0.696447 1.06389e+12
0.696532 1.09211e+12
0.736927 1.2748e+10
0.739083 1.39458e+11
0.739625 7.32266e+11
0.739715 1.05454e+12
0.739805 1.09174e+12
0.739715 7.31077e+11
0.739444 1.1329e+12
0.739805 9.30409e+11
0.207834 2.57555e+09
0.208443 1.1726e+10
0.208595 4.84565e+10
0.208621 1.00969e+11
0.336612 3.11108e+09
0.337597 1.43442e+10
0.337844 5.95957e+10
0.337886 1.21623e+11
0.357525 3.09138e+09
0.358571 1.4228e+10
0.358834 5.92757e+10
0.358877 1.20793e+11
0.220746 1.38873e+10
0.221393 1.50801e+11
0.221555 4.97558e+11
0.221582 6.77502e+11
0.379737 1.43012e+10
0.380848 1.73356e+11
0.381127 7.08725e+11
0.381173 1.10529e+12
0.403329 1.41627e+10
0.404509 1.69621e+11
0.404805 7.07515e+11
0.404855 1.10293e+12
0.234461 1.40038e+10
0.235147 1.49041e+11
0.235319 4.71836e+11
0.235348 6.6028e+11
0.428386 1.58633e+10
0.42964 1.87024e+11
0.429955 8.47049e+11
0.430007 1.15983e+12
0.455001 1.58115e+10
0.456332 1.83005e+11
0.456667 8.47851e+11
0.456722 1.15817e+12
0.249027 1.60841e+10
0.249756 1.61447e+11
0.249939 6.04875e+11
0.249969 7.22941e+11
0.25 6.39995e+11
0.483269 1.66184e+10
0.484683 1.98494e+11
0.485038 1.01419e+12
0.485097 1.3495e+12
0.485156 1.19086e+12
0.513293 1.63571e+10
0.514795 1.96769e+11
0.515172 1.01659e+12
0.515235 1.35182e+12
0.515298 1.18233e+12
0.515235 9.84098e+11
0.515046 1.33706e+12
0.515297 1.22682e+12
EOD
$lines << EOD
0.02 1.60088e+11
7.88194 6.30902e+13


0.02 6.02792e+10
20.9327 6.30902e+13


0.02 6.23341e+10
20.2426 6.30902e+13


7.88194 6.30902e+13
100 6.30902e+13


0.195677 7.76144e+11
0.316922 7.76144e+11


0.316922 1.55229e+12
0.78271 1.55229e+12


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [0.02:100]
set yrange [1e+09:2e+14]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of reduce_sum: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 0.0221118, 2.22283e+11 left rotate by 26.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 0.0244782, 5.61271e+10 left rotate by 26.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 0.0221118, 8.65512e+10 left rotate by 26.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'fma f32 63.1 TFLOP/s' at 92.1186, 7.73237e+13 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 6-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.44 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.57 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::26-1::26-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::27-1::27-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::28-1::28-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::29-1::29-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::30-1::30-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::31-1::31-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::32-1::32-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::33-1::33-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::34-1::34-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.44 linewidth 1.8 notitle, \
  $points every ::35-1::35-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.57 linewidth 1.8 notitle, \
  $points every ::36-1::36-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::37-1::37-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::38-1::38-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::39-1::39-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::40-1::40-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::41-1::41-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::42-1::42-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::43-1::43-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::44-1::44-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::45-1::45-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::46-1::46-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::47-1::47-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::48-1::48-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::49-1::49-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::50-1::50-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::51-1::51-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::52-1::52-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.44 linewidth 1.8 notitle, \
  $points every ::53-1::53-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.57 linewidth 1.8 notitle, \
  $points every ::54-1::54-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::55-1::55-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::56-1::56-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::57-1::57-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::58-1::58-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::59-1::59-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::60-1::60-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::61-1::61-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::62-1::62-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::63-1::63-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::64-1::64-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::65-1::65-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::66-1::66-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::67-1::67-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::68-1::68-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::69-1::69-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::70-1::70-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::71-1::71-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::72-1::72-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::73-1::73-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::74-1::74-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::75-1::75-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::76-1::76-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::77-1::77-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::78-1::78-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::79-1::79-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::80-1::80-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::81-1::81-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::82-1::82-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::83-1::83-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::84-1::84-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::85-1::85-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::86-1::86-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::87-1::87-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::88-1::88-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::89-1::89-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::90-1::90-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::91-1::91-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::92-1::92-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::93-1::93-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::94-1::94-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::95-1::95-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.31 linewidth 1.0 notitle, \
  $points every ::96-1::96-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::97-1::97-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::98-1::98-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::99-1::99-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::100-1::100-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.31 linewidth 1.0 notitle, \
  $points every ::101-1::101-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::102-1::102-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::103-1::103-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::104-1::104-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::105-1::105-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.31 linewidth 1.0 notitle, \
  $points every ::106-1::106-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.44 linewidth 1.0 notitle, \
  $points every ::107-1::107-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.57 linewidth 1.0 notitle, \
  $points every ::108-1::108-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'cub', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'torch_compile', \
  NaN with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 9 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f16', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.93 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.06 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.19 linewidth 1.6 title 'xlarge', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.31 linewidth 1.6 title 'one_row', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.44 linewidth 1.6 title 'bias_gradient', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.57 linewidth 1.6 title 'rows_32k', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.70 linewidth 1.6 title 'long_rows'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
